// A Vite plugin: the course and its rendered texts as the module "virtual:lesson", and Python's part as files.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Plugin } from "vite";
import type { Course, Exercise, Topic } from "../src/course.ts";
import { readText, type Section } from "./sections.ts";
import { Renderer } from "./markdown.ts";

interface Options {
  stage: string;
  root: string;
  pythonFolder: string;
}

type Bare<T> = Omit<T, "html" | "figures" | "introduction" | "appendix" | "setup">;
type BareTopic = Bare<Topic> & { exercises: Bare<Exercise>[] };

const MODULE = "virtual:lesson";

export function lesson({ stage, root, pythonFolder }: Options): Plugin {
  return {
    name: "lesson",
    resolveId: (id) => (id === MODULE ? `\0${MODULE}` : undefined),
    load: (id) =>
      id === `\0${MODULE}` ? `export const course = ${JSON.stringify(readCourse(stage, root))};` : undefined,
    generateBundle() {
      const folder = path.join(stage, "python");
      for (const name of readdirSync(folder)) {
        this.emitFile({
          type: "asset",
          fileName: `${pythonFolder}/${name}`,
          source: readFileSync(path.join(folder, name)),
        });
      }
    },
  };
}

function readCourse(stage: string, root: string): Course {
  const bare = JSON.parse(readFileSync(path.join(stage, "course.json"), "utf8")) as {
    title: string;
    topics: BareTopic[];
  };
  const texts = new Map(bare.topics.map((topic) => [topic.id, textOf(root, topic.id)]));
  const shown = new Map<string, Section>();
  const routes = new Map<string, string>();
  for (const topic of bare.topics) {
    for (const exercise of topic.exercises) {
      const section = texts.get(topic.id)!.sections.find((one) => belongs(one, exercise));
      if (!section) throw new Error(`No section of ${topic.id}.md has the check of ${exercise.id}`);
      shown.set(exercise.id, section);
      const route = `#/${topic.id}/${exercise.id}`;
      if (section.id && !routes.has(`${topic.id}.md#${section.id}`)) routes.set(`${topic.id}.md#${section.id}`, route);
    }
  }
  const topics = bare.topics.map((topic): Topic => {
    const text = texts.get(topic.id)!;
    const renderer = new Renderer(root, `${topic.id}.md`, routes);
    const appendix = text.sections.filter((section) => !section.id);
    return {
      ...topic,
      setup: text.setup,
      introduction: renderer.render(text.introduction),
      appendix: appendix.map((section) => renderer.render(section.markdown)).join("\n"),
      exercises: topic.exercises.map((exercise) => {
        const section = shown.get(exercise.id)!;
        return { ...exercise, html: renderer.render(section.markdown), figures: section.figures };
      }),
    };
  });
  return { title: bare.title, topics };
}

function textOf(root: string, topicId: string) {
  return readText(readFileSync(path.join(root, "lesson", "text", "en", `${topicId}.md`), "utf8"));
}

function belongs(section: Section, exercise: Bare<Exercise>): boolean {
  return section.checks.includes(exercise.id) || exercise.functions.some((name) => section.stubs.includes(name));
}
