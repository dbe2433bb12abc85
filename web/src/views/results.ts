/** What the checks of a step said. */
import type { Exercise } from "../course";
import { h } from "../dom";
import type { CheckVerdict, Verdict } from "../python/protocol";
import { labelOf, pointsOf } from "./names";

export class ResultsPanel {
  private readonly summary = h("p", { class: "summary" });
  private readonly list = h("ul", { class: "checks" });
  private rows: HTMLLIElement[] = [];
  private filled = 0;
  private running = false;
  readonly element = h("div", { class: "results" }, this.summary, this.list);

  /** Show an exercise with its last verdict, if it has one. */
  open(exercise: Exercise, last: Verdict | undefined): void {
    this.running = false;
    this.lay(exercise, "open", "");
    this.summary.replaceChildren(
      last ? `Last time: ${pointsOf(last.points, exercise.points)} points.` : "Write, then press Check or Ctrl-Enter.",
    );
    if (last) this.explain(last);
  }

  begin(exercise: Exercise): void {
    this.running = true;
    this.lay(exercise, "waiting", "");
    this.summary.replaceChildren(`Checking ${labelOf(exercise)} …`);
  }

  /** Fill in the next check. */
  add(check: CheckVerdict): void {
    const row = this.rows[this.filled++];
    if (!row) return;
    row.dataset["state"] = check.state;
    row.querySelector(".word")!.textContent = check.word;
    row.querySelector(".feedback")?.remove();
    // A stub needs no explanation while others are still being checked.
    if (check.rows.length && check.state !== "not attempted") row.append(feedback(check.rows));
  }

  end(exercise: Exercise, verdict: Verdict, next: { href: string; title: string } | undefined): void {
    this.running = false;
    // The final word: a wrong answer may turn out to be blocked by an earlier step.
    this.explain(verdict);
    this.summary.replaceChildren(
      h("strong", {}, `${pointsOf(verdict.points, exercise.points)} points`),
      ` ${verdict.note || this.tail(verdict)} `,
    );
    if (verdict.state === "passed" && next) this.summary.append(h("a", { href: next.href }, `Next: ${next.title}`));
  }

  fail(problem: string): void {
    this.running = false;
    this.list.replaceChildren();
    this.summary.replaceChildren(problem);
  }

  /** Say that the checks did not come to their end. */
  interrupt(sentence: string): void {
    if (!this.running) return;
    this.running = false;
    this.summary.replaceChildren(sentence);
    for (const row of this.rows.slice(this.filled)) row.dataset["state"] = "open";
  }

  /** The verdict in a sentence, for those who hear it. */
  sentence(exercise: Exercise, verdict: Verdict): string {
    const open = verdict.checks.filter((check) => check.state !== "passed");
    const titles = open.map((check) => exercise.checks.find(({ id }) => id === check.id)?.title ?? check.id);
    const points = `${labelOf(exercise)}: ${verdict.points ?? "?"} of ${exercise.points} points.`;
    return open.length ? `${points} Not passed: ${titles.join("; ")}. ${verdict.note}` : `${points} All checks passed.`;
  }

  private explain(verdict: Verdict): void {
    this.filled = 0;
    for (const check of verdict.checks) {
      this.add(check);
      const row = this.rows[this.filled - 1];
      const partly = check.state === "not attempted" && verdict.checks.some(({ state }) => state !== "not attempted");
      if (row && partly) row.append(feedback(check.rows));
    }
  }

  private tail(verdict: Verdict): string {
    if (verdict.state === "passed") return "All checks passed.";
    if (verdict.state !== "not attempted") return "";
    const missing = verdict.checks.some((check) => check.reason === "missing");
    return missing ? "Not every function of this step is there yet." : "This is still the stub.";
  }

  private lay(exercise: Exercise, state: string, word: string): void {
    this.filled = 0;
    this.rows = exercise.checks.map((check) =>
      h(
        "li",
        { "data-state": state },
        h(
          "p",
          { class: "check" },
          h("span", { class: "mark", "aria-hidden": "true" }),
          h("span", { class: "title" }, check.title),
          h("span", { class: "word" }, word),
          h("span", { class: "points" }, `${check.points} ${check.points === 1 ? "point" : "points"}`),
        ),
      ),
    );
    this.list.replaceChildren(...this.rows);
  }
}

function feedback(rows: [string, string][]): HTMLElement {
  return h(
    "dl",
    { class: "feedback" },
    ...rows.map(([label, text]) => h("div", { "data-label": label }, h("dt", {}, label), h("dd", {}, text))),
  );
}
