import type { Exercise } from "../course";

/** "Step 3" for step3, "Exercise 1" for exercise1, "Prompt" for prompt. */
export function labelOf(exercise: Exercise): string {
  const spaced = exercise.id.replace(/([a-z])(\d)/, "$1 $2");
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

export function pointsOf(points: number | null, most: number): string {
  return `${points ?? "?"}/${most}`;
}
