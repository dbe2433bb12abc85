/** The first page: what this is, the interactive figure, and where to begin. */
import { calculator } from "../calculator/calculator";
import type { Course } from "../course";
import { h } from "../dom";

export function startPage(course: Course): HTMLElement {
  const topics = course.topics.filter((topic) => topic.exercises.length);
  const first = topics[0]!;
  return h(
    "article",
    { class: "prose start" },
    h("h1", {}, course.title),
    h(
      "p",
      { class: "lead" },
      "A backward pass needs what the forward pass computed. Keep all of it, and a large model does not fit. " +
        "Keep a little and compute the rest again, and it does. Here you build that, and find out what it costs.",
    ),
    h(
      "p",
      {},
      "You write Python beside the text and press Check. Your code runs in this browser; nothing is installed and nothing is sent anywhere.",
    ),
    h("p", {}, h("a", { class: "begin", href: `#/${first.id}/${first.exercises[0]!.id}` }, "Begin with step 1")),
    calculator(),
    h("h2", {}, "What you will build"),
    h(
      "ol",
      { class: "topics" },
      ...topics.map((topic) =>
        h(
          "li",
          {},
          h("a", { href: `#/${topic.id}` }, topic.title),
          h("p", {}, topic.exercises.map((exercise) => exercise.title).join(" · ")),
        ),
      ),
    ),
  );
}
