/** Runs Python. Nothing of the student's runs on the page itself, so it stays usable whatever happens here. */
import { loadPyodide, type PyodideInterface } from "pyodide";
import type { PyProxy } from "pyodide/ffi";
import { fetchCounted, unpack } from "./files";
import { Output } from "./output";
import type { CheckVerdict, FromWorker, Task, ToWorker } from "./protocol";
import { Timer } from "./timer";

declare const self: DedicatedWorkerGlobalScope;

interface Desk extends PyProxy {
  prepare(exercise: string): void;
  check(exercise: string, text: string, tell: (check: string) => void): string;
}

interface SiteWorker extends PyProxy {
  Desk(): Desk;
  figure(name: string, file: string, text: string): string;
  run(file: string, text: string, scratch: string): boolean;
  use_timer(arm: (seconds: number, interval: number) => void): void;
}

const PACKAGES = "/packages";
// About what packages.bin weighs; the bar only has to move.
const PACKAGES_SIZE = 3_900_000;
const base = new URL(PYTHON_FOLDER, new URL(self.name)).href;

const say = (message: FromWorker): void => self.postMessage(message);

interface Python {
  pyodide: PyodideInterface;
  site: SiteWorker;
  desk: Desk;
}

async function boot(): Promise<Python> {
  let received = 0;
  say({ kind: "progress", phase: "downloading", done: 0, total: PACKAGES_SIZE });
  const files = fetchCounted(`${base}packages.bin`, (bytes) => {
    received += bytes;
    say({ kind: "progress", phase: "downloading", done: received, total: PACKAGES_SIZE });
  }).then(unpack);
  files.catch(() => undefined);
  const pyodide = await loadPyodide({
    indexURL: base,
    lockFileURL: `${base}pyodide-lock.json`,
    stdLibURL: `${base}python_stdlib.zip`,
    env: { HOME: "/home/pyodide", LANGUAGE: "en" },
  });
  say({ kind: "progress", phase: "starting", done: 0, total: 0 });
  install(pyodide, await files);
  say({ kind: "progress", phase: "loading", done: 0, total: 0 });
  const site = pyodide.pyimport("grader.desk.browser") as SiteWorker;
  const timer = new Timer();
  pyodide.setInterruptBuffer(timer as unknown as Uint8Array);
  site.use_timer((seconds, interval) => timer.arm(seconds, interval));
  return { pyodide, site, desk: site.Desk() };
}

function install(pyodide: PyodideInterface, files: [string, Uint8Array][]): void {
  const made = new Set<string>();
  for (const [name, content] of files) {
    const path = `${PACKAGES}/${name}`;
    const folder = path.slice(0, path.lastIndexOf("/"));
    if (!made.has(folder)) {
      pyodide.FS.mkdirTree(folder);
      made.add(folder);
    }
    pyodide.FS.writeFile(path, content, { canOwn: true });
  }
  pyodide.runPython(`import sys; sys.path.insert(0, "${PACKAGES}"); sys.dont_write_bytecode = True`);
}

function work({ pyodide, site, desk }: Python, id: number, task: Task): unknown {
  switch (task.kind) {
    case "check":
      return JSON.parse(
        desk.check(task.exercise, task.text, (check) =>
          say({ kind: "checked", id, check: JSON.parse(check) as CheckVerdict }),
        ),
      );
    case "figure":
      return JSON.parse(site.figure(task.name, task.file, task.text));
    case "run": {
      const output = new Output((text) => say({ kind: "output", id, text }));
      const stream = { write: (bytes: Uint8Array) => output.write(bytes) };
      pyodide.setStdout(stream);
      pyodide.setStderr(stream);
      const finished = site.run(task.file, task.text, task.scratch);
      output.flush();
      return finished;
    }
  }
}

function broken(error: unknown): void {
  say({ kind: "broken", message: error instanceof Error ? error.message : String(error) });
}

const ready = boot();
ready.then(() => say({ kind: "ready" }), broken);

self.onmessage = async ({ data }: MessageEvent<ToWorker>) => {
  let python: Python;
  try {
    python = await ready;
  } catch {
    return; // which has been told already
  }
  try {
    if (data.kind === "prepare") python.desk.prepare(data.exercise);
    else say({ kind: "done", id: data.id, answer: work(python, data.id, data.task) });
  } catch (error) {
    broken(error);
  }
};
