/** What the page and the worker that runs Python say to each other. */

export interface CheckVerdict {
  id: string;
  state: string;
  /** Why the check did not pass, one of `Reason` in grader/results.py; null when it did. */
  reason: string | null;
  /** The word for the state. */
  word: string;
  points: number | null;
  /** Label and text, in reading order. */
  rows: [string, string][];
}

export interface Verdict {
  id: string;
  state: string;
  word: string;
  points: number | null;
  note: string;
  checks: CheckVerdict[];
}

export type CheckAnswer = Verdict | { problem: string };

/** Points of a figure: what Python measured, or a sentence why there is nothing to draw. */
export interface Series {
  label: string;
  points: [number, number][];
}
export type FigureAnswer = { series: Series[]; marks: number[] } | { problem: string };

export type Task =
  | { kind: "check"; exercise: string; text: string }
  | { kind: "run"; file: string; text: string; scratch: string }
  | { kind: "figure"; name: string; file: string; text: string };

export type ToWorker = { kind: "task"; id: number; task: Task } | { kind: "prepare"; exercise: string };

export type Phase = "downloading" | "starting" | "loading";

export type FromWorker =
  | { kind: "progress"; phase: Phase; done: number; total: number }
  | { kind: "ready" }
  | { kind: "broken"; message: string }
  | { kind: "checked"; id: number; check: CheckVerdict }
  | { kind: "output"; id: number; text: string }
  | { kind: "done"; id: number; answer: unknown };
