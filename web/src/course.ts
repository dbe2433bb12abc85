/** The course as the build puts it into the page. */

export interface Check {
  id: string;
  title: string;
  points: number;
}

export interface Exercise {
  id: string;
  title: string;
  points: number;
  functions: string[];
  hints: string[];
  checks: Check[];
  /** The text of its section. */
  html: string;
  /** What its section draws from the student's own functions. */
  figures: FigureRequest[];
}

/** The figures that the page can draw; the texts have others, for the notebooks. */
export const DRAWN = ["memory_over_time", "segment_sweep"] as const;

export interface FigureRequest {
  name: string;
  functions: string[];
}

export interface Topic {
  id: string;
  title: string;
  /** The module with its bodies removed. */
  skeleton: string;
  /** Lines to begin trying things out with. */
  setup: string;
  introduction: string;
  /** Sections that belong to no exercise, such as key terms. */
  appendix: string;
  exercises: Exercise[];
}

export interface Course {
  title: string;
  topics: Topic[];
}

export interface Place {
  topic: Topic;
  exercise?: Exercise;
}

export function fileOf(topic: Topic): string {
  return `${topic.id}.py`;
}
