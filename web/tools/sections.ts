// Takes a text of the lesson apart: front matter, introduction, and a section for each `## ` heading.
import { DRAWN, type FigureRequest } from "../src/course.ts";

export interface Section {
  /** Its target, as in `(step1)=`; empty for sections that nothing refers to. */
  id: string;
  markdown: string;
  checks: string[];
  stubs: string[];
  figures: FigureRequest[];
}

export interface Text {
  introduction: string;
  /** The code of the introduction, which a student may want to start from. */
  setup: string;
  sections: Section[];
}

const TARGET = /^\(([\w-]+)\)=$/;
const FENCE = /^(`{3,})(.*)$/;

export function readText(source: string): Text {
  const body = source.replace(/^---\n[\s\S]*?\n---\n/, "");
  const parts: { id: string; lines: string[] }[] = [{ id: "", lines: [] }];
  let fence = "";
  let target = "";
  for (const line of body.split("\n")) {
    const mark = FENCE.exec(line)?.[1] ?? "";
    if (fence) {
      if (mark.length >= fence.length) fence = "";
    } else if (mark) {
      fence = mark;
    } else if (TARGET.test(line)) {
      target = TARGET.exec(line)![1]!;
      continue;
    } else if (line.startsWith("## ")) {
      parts.push({ id: target, lines: [] });
      target = "";
    }
    parts.at(-1)!.lines.push(line);
  }
  const [introduction, ...sections] = parts.map((part) => section(part.id, part.lines.join("\n")));
  return { introduction: introduction!.markdown, setup: firstCode(introduction!.markdown), sections };
}

function section(id: string, markdown: string): Section {
  const named = (kind: string): string[][] =>
    [...markdown.matchAll(new RegExp(`^\`{3,}\\{${kind}\\} *(.*)$`, "gm"))].map((match) =>
      match[1]!.split(/\s+/).filter(Boolean),
    );
  return {
    id,
    markdown,
    checks: named("check").flat(),
    stubs: named("stub").flat(),
    figures: named("figure-cell")
      .map(([name, ...functions]) => ({ name: name ?? "", functions }))
      .filter(({ name }) => DRAWN.some((drawn) => drawn === name)),
  };
}

function firstCode(markdown: string): string {
  return /^```\{code-cell\} python\n([\s\S]*?)^```$/m.exec(markdown)?.[1] ?? "";
}
