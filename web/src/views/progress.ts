/** The list of topics and steps, with what has been earned. */
import type { Course, Exercise, Place } from "../course";
import { h } from "../dom";
import type { Memory } from "../storage";
import { labelOf } from "./names";

interface Row {
  exercise: Exercise;
  link: HTMLAnchorElement;
  points: HTMLElement;
}

export class Progress {
  readonly element: HTMLElement;
  private readonly rows: Row[] = [];
  private readonly total = h("span", { class: "total" });
  private readonly bar = h("progress", { "aria-label": "Points so far" });
  private readonly links = new Map<string, HTMLAnchorElement>();

  constructor(
    course: Course,
    private readonly memory: Memory,
  ) {
    const start = this.link("", h("a", { href: "#/", class: "topic" }, "Start"));
    this.element = h(
      "div",
      { class: "progress" },
      h("div", { class: "sum" }, this.bar, this.total),
      start,
      ...course.topics
        .filter((topic) => topic.exercises.length)
        .map((topic) =>
          h(
            "section",
            {},
            this.link(topic.id, h("a", { href: `#/${topic.id}`, class: "topic" }, topic.title.split(":")[0]!)),
            h("ul", {}, ...topic.exercises.map((exercise) => h("li", {}, this.row(topic.id, exercise)))),
          ),
        ),
    );
    this.update();
  }

  update(): void {
    let sum = 0;
    let most = 0;
    for (const { exercise, link, points } of this.rows) {
      const verdict = this.memory.verdict(exercise.id);
      const earned = verdict?.points ?? 0;
      sum += earned;
      most += exercise.points;
      link.dataset["state"] = earned === exercise.points ? "passed" : verdict && earned > 0 ? "begun" : "open";
      points.textContent = `${earned}/${exercise.points}`;
      points.setAttribute("aria-label", `${earned} of ${exercise.points} points`);
    }
    this.bar.max = most;
    this.bar.value = sum;
    this.total.textContent = `${sum} of ${most} points`;
  }

  mark(place: Place | undefined): void {
    const current = place ? [place.topic.id, place.exercise?.id].filter(Boolean).join("/") : "";
    for (const [key, link] of this.links) {
      if (key === current) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }

  private row(topicId: string, exercise: Exercise): HTMLAnchorElement {
    const points = h("span", { class: "points", role: "img" });
    const link = h(
      "a",
      { href: `#/${topicId}/${exercise.id}`, class: "step" },
      h("span", { class: "mark", "aria-hidden": "true" }),
      h("span", { class: "name" }, h("small", {}, labelOf(exercise)), " ", exercise.title),
      points,
    );
    this.rows.push({ exercise, link, points });
    return this.link(`${topicId}/${exercise.id}`, link);
  }

  private link(key: string, link: HTMLAnchorElement): HTMLAnchorElement {
    this.links.set(key, link);
    return link;
  }
}
