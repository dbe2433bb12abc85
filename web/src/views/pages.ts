/** The texts of topics and steps. */
import type { Exercise, Topic } from "../course";
import { h, rendered } from "../dom";
import { labelOf } from "./names";

export function topicPage(topic: Topic): HTMLElement {
  return h(
    "article",
    { class: "prose topic-page" },
    h("h1", {}, topic.title),
    rendered("", topic.introduction),
    h(
      "ol",
      { class: "steps" },
      ...topic.exercises.map((exercise) =>
        h(
          "li",
          {},
          h(
            "a",
            { href: `#/${topic.id}/${exercise.id}` },
            h("small", {}, labelOf(exercise)),
            h("span", {}, exercise.title),
            h("span", { class: "points" }, `${exercise.points} points`),
          ),
        ),
      ),
    ),
    rendered("appendix", topic.appendix),
  );
}

export function exercisePage(
  topic: Topic,
  exercise: Exercise,
  next: { href: string; title: string } | undefined,
  draw: (figure: string) => void,
): HTMLElement {
  const text = rendered("", exercise.html);
  for (const button of text.querySelectorAll<HTMLButtonElement>("[data-figure]")) {
    button.addEventListener("click", () => draw(button.dataset["figure"] ?? ""));
  }
  return h(
    "article",
    { class: "prose", tabindex: 0, "aria-label": exercise.title },
    h("p", { class: "crumb" }, h("a", { href: `#/${topic.id}` }, topic.title.split(":")[0]!)),
    text,
    next && h("p", { class: "next" }, "Next: ", h("a", { href: next.href }, next.title)),
  );
}
