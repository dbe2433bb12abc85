/** The page's end of the worker: hands it tasks, and ends and replaces it when it must stop. */
import type { CheckAnswer, CheckVerdict, FigureAnswer, FromWorker, Phase, Task, ToWorker } from "./protocol";

export type Status =
  | { state: "booting"; phase: Phase; fraction: number; again: boolean }
  | { state: "ready" }
  | { state: "busy" }
  | { state: "broken"; message: string };

/** The task was ended by the student, or Python itself ended. */
export class Stopped extends Error {
  constructor(readonly crash: string = "") {
    super(crash || "stopped");
  }
}

interface Current {
  id: number;
  resolve(answer: unknown): void;
  reject(error: Error): void;
  onCheck?: ((check: CheckVerdict) => void) | undefined;
  onOutput?: ((text: string) => void) | undefined;
}

export class Runner {
  private worker: Worker | undefined;
  private current: Current | undefined;
  private count = 0;
  private booted = false;
  private prepared = "";
  private boots = 0;
  private listeners: ((status: Status) => void)[] = [];
  status: Status = { state: "booting", phase: "downloading", fraction: 0, again: false };

  /** Begin to load Python; does nothing when that has happened. */
  start(): void {
    if (this.worker) return;
    this.boots++;
    this.booted = false;
    this.worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: document.baseURI });
    this.worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.hear(data);
    this.worker.onerror = (event) =>
      this.hear({ kind: "broken", message: event.message || "The worker did not start." });
    if (this.prepared) this.send({ kind: "prepare", exercise: this.prepared });
    this.show({ state: "booting", phase: "downloading", fraction: 0, again: this.boots > 1 });
  }

  onStatus(listener: (status: Status) => void): void {
    this.listeners.push(listener);
    listener(this.status);
  }

  get busy(): boolean {
    return this.current !== undefined;
  }

  check(exercise: string, text: string, onCheck: (check: CheckVerdict) => void): Promise<CheckAnswer> {
    return this.ask({ kind: "check", exercise, text }, { onCheck }) as Promise<CheckAnswer>;
  }

  run(file: string, text: string, scratch: string, onOutput: (text: string) => void): Promise<boolean> {
    return this.ask({ kind: "run", file, text, scratch }, { onOutput }) as Promise<boolean>;
  }

  figure(name: string, file: string, text: string): Promise<FigureAnswer> {
    return this.ask({ kind: "figure", name, file, text }, {}) as Promise<FigureAnswer>;
  }

  /** Let Python get ready for an exercise. */
  prepare(exercise: string): void {
    this.prepared = exercise;
    if (this.worker) this.send({ kind: "prepare", exercise });
  }

  /** End whatever runs, at once, and start a fresh Python. */
  stop(crash = ""): void {
    this.worker?.terminate();
    this.worker = undefined;
    const ended = this.current;
    this.current = undefined;
    this.start();
    ended?.reject(new Stopped(crash));
  }

  private ask(task: Task, listeners: Pick<Current, "onCheck" | "onOutput">): Promise<unknown> {
    if (this.current) return Promise.reject(new Error("Python is busy."));
    this.start();
    const id = ++this.count;
    const answer = new Promise<unknown>((resolve, reject) => {
      this.current = { id, resolve, reject, ...listeners };
    });
    // A worker that is still booting keeps the message until it can answer.
    this.send({ kind: "task", id, task });
    if (this.booted) this.show({ state: "busy" });
    return answer;
  }

  private send(message: ToWorker): void {
    this.worker?.postMessage(message);
  }

  private hear(message: FromWorker): void {
    switch (message.kind) {
      case "progress":
        this.show({
          state: "booting",
          phase: message.phase,
          fraction: message.total ? Math.min(1, message.done / message.total) : 0,
          again: this.boots > 1,
        });
        break;
      case "ready":
        this.booted = true;
        this.show(this.current ? { state: "busy" } : { state: "ready" });
        break;
      case "broken":
        this.fail(message.message);
        break;
      case "checked":
        if (message.id === this.current?.id) this.current.onCheck?.(message.check);
        break;
      case "output":
        if (message.id === this.current?.id) this.current.onOutput?.(message.text);
        break;
      case "done":
        this.finish(message.id, message.answer);
        break;
    }
  }

  private finish(id: number, answer: unknown): void {
    if (id !== this.current?.id) return;
    const { resolve } = this.current;
    this.current = undefined;
    this.show({ state: "ready" });
    resolve(answer);
  }

  private fail(message: string): void {
    if (this.booted) {
      this.stop(message);
      return;
    }
    this.worker?.terminate();
    this.worker = undefined;
    this.show({ state: "broken", message });
    const ended = this.current;
    this.current = undefined;
    ended?.reject(new Stopped(message));
  }

  private show(status: Status): void {
    this.status = status;
    for (const listener of this.listeners) listener(status);
  }
}
