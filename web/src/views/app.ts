/** The whole page: a list of topics and steps, and the place where the student is. */
import type { Course, Exercise, Place, Topic } from "../course";
import { h } from "../dom";
import type { Runner } from "../python/runner";
import type { Memory } from "../storage";
import { exercisePage, topicPage } from "./pages";
import { Progress } from "./progress";
import { startPage } from "./start";
import { Workspace } from "./workspace";

export class App {
  private readonly main = h("main", { id: "main", tabindex: -1 });
  private readonly announcer = h("p", { class: "visually-hidden", role: "status", "aria-live": "polite" });
  private readonly progress: Progress;
  private readonly workspaces = new Map<string, Workspace>();
  private readonly menu: HTMLDialogElement;
  private readonly views: HTMLElement;
  readonly elements: HTMLElement[];

  constructor(
    private readonly course: Course,
    private readonly runner: Runner,
    private readonly memory: Memory,
  ) {
    this.progress = new Progress(course, memory);
    this.menu = h("dialog", { class: "menu", "aria-label": "Contents" });
    this.menu.addEventListener("click", (event) => {
      if (event.target === this.menu || (event.target as Element).closest("a")) this.menu.close();
    });
    this.views = h(
      "div",
      { class: "views", role: "group", "aria-label": "Show" },
      this.view("text"),
      this.view("code"),
    );
    const aside = h("nav", { class: "contents", "aria-label": "Contents" }, this.progress.element);
    // On a narrow screen the contents move into a dialog.
    const narrow = matchMedia("(max-width: 60rem)");
    const place = (): void => {
      if (narrow.matches) this.menu.append(this.progress.element);
      else aside.append(this.progress.element);
    };
    narrow.addEventListener("change", place);
    place();
    this.elements = [this.header(), aside, this.main, this.menu, this.announcer];
    addEventListener("hashchange", () => this.show(true));
    // What was typed last must not be lost, whatever happens to the page.
    addEventListener("pagehide", () => this.workspaces.forEach((workspace) => workspace.save()));
  }

  /** Show the place that the address names. */
  show(moved = false): void {
    const place = this.find(location.hash);
    if (moved && location.hash === "#main") {
      this.main.focus();
      return;
    }
    this.progress.mark(place);
    this.views.hidden = !place?.exercise;
    this.main.className = place?.exercise ? "with-work" : "reading";
    document.title = [place?.exercise?.title ?? place?.topic.title, this.course.title].filter(Boolean).join(" · ");
    if (!place) this.main.replaceChildren(startPage(this.course));
    else if (place.exercise) this.showExercise(place.topic, place.exercise);
    else this.main.replaceChildren(topicPage(place.topic));
    this.showView("text");
    if (moved) {
      this.main.focus({ preventScroll: true });
    }
  }

  private showExercise(topic: Topic, exercise: Exercise): void {
    const workspace = this.workspaceOf(topic);
    const text = exercisePage(topic, exercise, this.after(exercise), (name) => {
      this.showView("code");
      void workspace.draw(name);
    });
    this.main.replaceChildren(text, workspace.element);
    workspace.open(exercise);
  }

  private workspaceOf(topic: Topic): Workspace {
    const known = this.workspaces.get(topic.id);
    if (known) return known;
    const workspace = new Workspace(topic, this.runner, this.memory, {
      announce: (sentence) => this.announce(sentence),
      progressed: () => this.progress.update(),
      next: (exercise) => this.after(exercise),
    });
    this.workspaces.set(topic.id, workspace);
    return workspace;
  }

  /** On a narrow screen either the text is shown or the code. */
  private showView(name: string): void {
    this.main.dataset["view"] = name;
    for (const button of this.views.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button.dataset["view"] === name));
    }
    scrollTo(0, 0);
  }

  private view(name: "text" | "code"): HTMLElement {
    const title = name === "text" ? "Text" : "Code";
    return h("button", { type: "button", "data-view": name, onclick: () => this.showView(name) }, title);
  }

  private announce(sentence: string): void {
    // The same sentence twice in a row is news as well.
    this.announcer.textContent = "";
    setTimeout(() => (this.announcer.textContent = sentence), 50);
  }

  private header(): HTMLElement {
    return h(
      "header",
      { class: "top" },
      h("a", { class: "brand", href: "#/" }, this.course.title),
      !this.memory.lasting &&
        h("p", { class: "warning", role: "note" }, "This browser stores nothing: download your work before you leave."),
      this.views,
      h(
        "button",
        { type: "button", class: "menu-button", "aria-label": "Contents", onclick: () => this.menu.showModal() },
        "☰",
      ),
    );
  }

  private find(hash: string): Place | undefined {
    const [, topicId, exerciseId] = hash.split("/");
    const topic = this.course.topics.find((one) => one.id === topicId);
    if (!topic) return undefined;
    const exercise = topic.exercises.find((one) => one.id === exerciseId);
    return exercise ? { topic, exercise } : { topic };
  }

  /** The exercise that follows in the course. */
  private after(exercise: Exercise): { href: string; title: string } | undefined {
    const all = this.course.topics.flatMap((topic) => topic.exercises.map((one) => ({ topic, one })));
    const next = all[all.findIndex(({ one }) => one === exercise) + 1];
    return next && { href: `#/${next.topic.id}/${next.one.id}`, title: next.one.title };
  }
}
