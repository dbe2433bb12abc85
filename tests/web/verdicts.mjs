// Grades submissions under Pyodide, without a browser.
//
//   node verdicts.mjs PYODIDE_DIR REQUEST.json
//
// The request names wheels and holds the files to install and the submissions; the verdicts go to standard output,
// one JSON line each.
import { readFileSync, writeSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [pyodideDir, requestFile] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(path.join(pyodideDir, "pyodide.mjs")).href);
const request = JSON.parse(readFileSync(requestFile, "utf8"));

try {
  const pyodide = await loadPyodide({ indexURL: pyodideDir });
  for (const wheel of request.wheels) {
    pyodide.unpackArchive(new Uint8Array(readFileSync(wheel)), "wheel");
  }
  for (const [name, content] of Object.entries(request.files)) {
    const target = `/app/${name}`;
    pyodide.FS.mkdirTree(path.posix.dirname(target));
    pyodide.FS.writeFile(target, Buffer.from(content, "base64"));
  }
  pyodide.runPython("import sys; sys.path.insert(0, '/app')");
  const { Desk } = pyodide.pyimport("grader.desk.browser");
  const desk = Desk();
  for (const { exercise, text } of request.submissions) {
    const began = performance.now();
    const verdict = desk.check(exercise, text, () => {});
    const seconds = (performance.now() - began) / 1000;
    writeSync(1, JSON.stringify({ seconds, verdict: JSON.parse(verdict) }) + "\n");
  }
} catch (error) {
  // Thrown from inside the interpreter, Node would print the whole of it around the error.
  console.error(error.message);
  process.exitCode = 1;
}
