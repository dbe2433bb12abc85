/** The folder with Python's part, relative to the page; its name changes with its contents. */
declare const PYTHON_FOLDER: string;

declare module "virtual:lesson" {
  import type { Course } from "./course";
  export const course: Course;
}
