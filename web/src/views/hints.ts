/** Hints, one more at each request. */
import type { Exercise } from "../course";
import { h } from "../dom";
import type { Memory } from "../storage";

export class HintPanel {
  private readonly list = h("ol", { class: "hints" });
  private readonly left = h("p", { class: "fine" });
  private exercise: Exercise | undefined;
  readonly element = h("div", {}, this.list, this.left);

  constructor(private readonly memory: Memory) {}

  open(exercise: Exercise): void {
    this.exercise = exercise;
    this.show(this.memory.hints(exercise.id));
  }

  /** Show one more and return it. */
  more(): string {
    const exercise = this.exercise!;
    const count = Math.min(this.memory.hints(exercise.id) + 1, exercise.hints.length);
    this.memory.keepHints(exercise.id, count);
    this.show(count);
    return exercise.hints[count - 1] ?? "";
  }

  private show(count: number): void {
    const { hints } = this.exercise!;
    this.list.replaceChildren(...hints.slice(0, count).map((hint) => h("li", {}, hint)));
    const left = hints.length - count;
    this.left.textContent = left
      ? `${left} ${count ? "more" : "hints"}; press Hint for the next.`
      : "That was the last one.";
  }
}
