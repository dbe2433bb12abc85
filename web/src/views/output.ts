/** Lines to try out, and what Python printed. */
import type { EditorView } from "@codemirror/view";
import type { Topic } from "../course";
import { h } from "../dom";
import { createEditor } from "../editor/editor";
import type { Memory } from "../storage";

const MAX_SHOWN = 200_000;

export class OutputPanel {
  private readonly lines = h("pre", { class: "output", tabindex: 0, "aria-label": "Output" });
  private readonly state = h("p", { class: "fine" });
  private readonly editor: EditorView;
  private running = false;
  readonly element: HTMLElement;

  constructor(topic: Topic, memory: Memory, onSubmit: () => void) {
    this.editor = createEditor({
      label: "Lines to try out",
      text: memory.scratch(topic.id) ?? topic.setup,
      small: true,
      onChange: (text) => memory.keepScratch(topic.id, text),
      onSubmit,
    });
    this.element = h(
      "div",
      { class: "try" },
      h("p", { class: "fine" }, "Run executes your module and then these lines. They are not part of it."),
      h("div", { class: "scratch" }, this.editor.dom),
      this.state,
      this.lines,
    );
  }

  get scratch(): string {
    return this.editor.state.doc.toString();
  }

  clear(): void {
    this.running = true;
    this.lines.textContent = "";
    this.state.textContent = "Running …";
  }

  write(text: string): void {
    if ((this.lines.textContent?.length ?? 0) < MAX_SHOWN) this.lines.append(text);
    this.lines.scrollTop = this.lines.scrollHeight;
  }

  end(finished: boolean): void {
    this.running = false;
    this.state.textContent = finished ? "Done." : "Ended with an error.";
  }

  interrupt(sentence: string): void {
    if (this.running) this.state.textContent = sentence;
    this.running = false;
  }
}
