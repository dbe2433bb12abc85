/** What the page remembers between visits, in this browser and nowhere else. */
import type { Verdict } from "./python/protocol";

const PREFIX = "checkpointing:";

export class Memory {
  private readonly store: Storage | undefined = usable();
  /** Where nothing can be stored, at least this visit is remembered. */
  private readonly visit = new Map<string, string>();

  /** Whether what is remembered outlives this page. */
  get lasting(): boolean {
    return this.store !== undefined;
  }

  text(topicId: string): string | undefined {
    return this.get(`text:${topicId}`);
  }

  keepText(topicId: string, text: string): void {
    this.set(`text:${topicId}`, text);
  }

  scratch(topicId: string): string | undefined {
    return this.get(`scratch:${topicId}`);
  }

  keepScratch(topicId: string, text: string): void {
    this.set(`scratch:${topicId}`, text);
  }

  verdict(exerciseId: string): Verdict | undefined {
    const stored = this.get(`verdict:${exerciseId}`);
    try {
      return stored === undefined ? undefined : (JSON.parse(stored) as Verdict);
    } catch {
      return undefined;
    }
  }

  keepVerdict(verdict: Verdict): void {
    this.set(`verdict:${verdict.id}`, JSON.stringify(verdict));
  }

  hints(exerciseId: string): number {
    return Number(this.get(`hints:${exerciseId}`) ?? 0);
  }

  keepHints(exerciseId: string, count: number): void {
    this.set(`hints:${exerciseId}`, String(count));
  }

  private get(key: string): string | undefined {
    return this.visit.get(key) ?? this.store?.getItem(PREFIX + key) ?? undefined;
  }

  private set(key: string, value: string): void {
    this.visit.set(key, value);
    try {
      this.store?.setItem(PREFIX + key, value);
    } catch {
      // Full, or taken away meanwhile: this visit goes on without.
    }
  }
}

function usable(): Storage | undefined {
  try {
    const probe = `${PREFIX}probe`;
    window.localStorage.setItem(probe, "1");
    window.localStorage.removeItem(probe);
    return window.localStorage;
  } catch {
    return undefined;
  }
}
