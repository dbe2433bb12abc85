/** The place where a student writes a topic's module, checks a step of it and tries it out. */
import type { EditorView } from "@codemirror/view";
import { fileOf, type Exercise, type Topic } from "../course";
import { h } from "../dom";
import { createEditor, replaceText, reveal } from "../editor/editor";
import { firstOf, resetFunctions } from "../editor/functions";
import { Stopped, type Runner } from "../python/runner";
import type { Memory } from "../storage";
import { askReset } from "./dialogs";
import { FigurePanel } from "./figures";
import { HintPanel } from "./hints";
import { labelOf } from "./names";
import { OutputPanel } from "./output";
import { ResultsPanel } from "./results";
import { StatusLine } from "./status";
import { Tabs } from "./tabs";
import { download, readUpload } from "./transfer";

export interface Surroundings {
  announce(sentence: string): void;
  progressed(): void;
  next(exercise: Exercise): { href: string; title: string } | undefined;
}

const SAVE_AFTER_MS = 300;

export class Workspace {
  readonly element: HTMLElement;
  private readonly editor: EditorView;
  private readonly results: ResultsPanel;
  private readonly output: OutputPanel;
  private readonly figures: FigurePanel;
  private readonly hints: HintPanel;
  private readonly tabs: Tabs;
  private readonly buttons: Record<"check" | "run" | "stop", HTMLButtonElement>;
  private exercise: Exercise;
  private saving: number | undefined;

  constructor(
    private readonly topic: Topic,
    private readonly runner: Runner,
    private readonly memory: Memory,
    private readonly around: Surroundings,
  ) {
    this.exercise = topic.exercises[0]!;
    this.editor = createEditor({
      label: `${fileOf(topic)}, your code`,
      describedBy: "editor-keys",
      text: memory.text(topic.id) ?? topic.skeleton,
      onChange: () => this.saveSoon(),
      onSubmit: () => void this.check(),
    });
    this.results = new ResultsPanel();
    this.output = new OutputPanel(topic, memory, () => void this.run());
    this.figures = new FigurePanel((name) => this.draw(name));
    this.hints = new HintPanel(memory);
    this.tabs = new Tabs([
      { id: "results", title: "Results", content: this.results.element },
      { id: "output", title: "Try it", content: this.output.element },
      { id: "figure", title: "Figure", content: this.figures.element },
      { id: "hints", title: "Hints", content: this.hints.element },
    ]);
    this.buttons = {
      check: button("Check", "primary", () => void this.check(), "Check this step (Ctrl-Enter)"),
      run: button("Run", "", () => void this.run(), "Run the module and the lines under Try it"),
      stop: button("Stop", "", () => this.stop(), "End what is running"),
    };
    this.element = this.build();
    runner.onStatus(({ state }) => {
      const busy = state === "busy" || runner.busy;
      this.buttons.stop.disabled = !busy;
      this.buttons.check.disabled = this.buttons.run.disabled = busy;
    });
  }

  /** Turn to one exercise of the topic. */
  open(exercise: Exercise): void {
    this.exercise = exercise;
    this.results.open(exercise, this.memory.verdict(exercise.id));
    this.hints.open(exercise);
    this.figures.open(exercise.figures.map(({ name }) => name));
    this.tabs.enable("figure", exercise.figures.length > 0);
    this.tabs.show("results");
    this.runner.prepare(exercise.id);
    reveal(this.editor, firstOf(this.text, exercise.functions));
  }

  /** Keep the text now. */
  save(): void {
    clearTimeout(this.saving);
    if (this.saving !== undefined) this.memory.keepText(this.topic.id, this.text);
    this.saving = undefined;
  }

  /** Draw one of the section's figures from the student's functions. */
  async draw(name: string): Promise<void> {
    if (this.runner.busy) return;
    this.showPanel("figure");
    await this.attempt("Drawing", async () => {
      this.figures.wait(name);
      const answer = await this.runner.figure(name, fileOf(this.topic), this.text);
      this.figures.show(name, answer);
      this.around.announce("problem" in answer ? answer.problem : "The figure is drawn.");
    });
  }

  private get text(): string {
    return this.editor.state.doc.toString();
  }

  private async check(): Promise<void> {
    if (this.runner.busy) return;
    const exercise = this.exercise;
    this.save();
    this.showPanel("results");
    this.results.begin(exercise);
    await this.attempt("Checking", async () => {
      const answer = await this.runner.check(exercise.id, this.text, (check) => this.results.add(check));
      if ("problem" in answer) {
        this.results.fail(answer.problem);
        this.around.announce(answer.problem);
        return;
      }
      this.memory.keepVerdict(answer);
      this.around.progressed();
      if (exercise === this.exercise) this.results.end(exercise, answer, this.around.next(exercise));
      this.around.announce(this.results.sentence(exercise, answer));
    });
  }

  private async run(): Promise<void> {
    if (this.runner.busy) return;
    this.save();
    this.showPanel("output");
    this.output.clear();
    await this.attempt("Running", async () => {
      const finished = await this.runner.run(fileOf(this.topic), this.text, this.output.scratch, (text) =>
        this.output.write(text),
      );
      this.output.end(finished);
      this.around.announce(finished ? "The run has ended." : "The run has ended with an error.");
    });
  }

  private stop(): void {
    this.runner.stop();
    this.around.announce("Stopped. Your text is as it was.");
  }

  /** Do something that needs Python, and say so when it is stopped or Python itself ends. */
  private async attempt(what: string, task: () => Promise<void>): Promise<void> {
    this.buttons.stop.disabled = false;
    this.buttons.check.disabled = this.buttons.run.disabled = true;
    try {
      await task();
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      const sentence = error.crash
        ? `Python ended: ${error.crash.split("\n")[0]} It starts again; your text is as it was.`
        : `${what} was stopped. Python starts again; your text is as it was.`;
      this.results.interrupt(sentence);
      this.output.interrupt(sentence);
      this.figures.interrupt(sentence);
      this.around.announce(sentence);
    }
  }

  private async reset(): Promise<void> {
    const choice = await askReset(labelOf(this.exercise), fileOf(this.topic));
    if (choice === "step") {
      replaceText(this.editor, resetFunctions(this.text, this.topic.skeleton, this.exercise.functions));
    } else if (choice === "file") {
      replaceText(this.editor, this.topic.skeleton);
    }
    if (choice) {
      reveal(this.editor, firstOf(this.text, this.exercise.functions));
      this.around.announce("Reset. Undo brings your text back.");
    }
    this.editor.focus();
  }

  private async upload(file: File): Promise<void> {
    const text = await readUpload(file);
    if (text === undefined) {
      this.around.announce(`${file.name} is not UTF-8 text and was not opened.`);
      this.results.fail(`${file.name} is not UTF-8 text and was not opened.`);
      return;
    }
    replaceText(this.editor, text);
    reveal(this.editor, firstOf(text, this.exercise.functions));
    this.around.announce(`${file.name} is open. Undo brings your text back.`);
  }

  private showPanel(id: string): void {
    this.tabs.show(id);
  }

  private saveSoon(): void {
    clearTimeout(this.saving);
    this.saving = window.setTimeout(() => this.save(), SAVE_AFTER_MS);
  }

  private hint(): void {
    this.showPanel("hints");
    this.around.announce(this.hints.more());
  }

  private build(): HTMLElement {
    const picker = h("input", {
      type: "file",
      accept: ".py,text/x-python",
      class: "visually-hidden",
      tabindex: -1,
      "aria-label": "A module to open",
    });
    picker.addEventListener("change", () => {
      const file = picker.files?.[0];
      if (file) void this.upload(file);
      picker.value = "";
    });
    const files = h(
      "div",
      { class: "files" },
      h("span", { class: "file-name" }, fileOf(this.topic)),
      button("Download", "quiet", () => download(fileOf(this.topic), this.text)),
      button("Open a file", "quiet", () => picker.click()),
      button("Reset", "quiet", () => void this.reset()),
      picker,
    );
    const actions = h(
      "div",
      { class: "actions", role: "toolbar", "aria-label": "Python" },
      this.buttons.check,
      this.buttons.run,
      this.buttons.stop,
      button("Hint", "", () => this.hint(), "Show one more hint"),
    );
    const keys = h(
      "p",
      { class: "visually-hidden", id: "editor-keys" },
      "Control and Enter checks the step. Escape and then Tab leaves the editor.",
    );
    return h(
      "section",
      { class: "work", "aria-label": "Your code" },
      files,
      h("div", { class: "editor" }, this.editor.dom, keys),
      actions,
      new StatusLine(this.runner).element,
      this.tabs.element,
    );
  }
}

function button(name: string, kind: string, act: () => void, title?: string): HTMLButtonElement {
  return h("button", { type: "button", class: kind || undefined, title, onclick: act }, name);
}
