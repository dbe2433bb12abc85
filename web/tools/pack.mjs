// Packs Python for the page.
//
//   node pack.mjs STAGE
//
// STAGE/thirdparty/ and STAGE/ours/ hold what is to be importable. Written to STAGE/python/: Pyodide with a standard
// library of bytecode, and one compressed file with everything else. Compiling here is what makes the page start
// quickly; only Pyodide's own Python can write the bytecode that it reads.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { loadPyodide } from "pyodide";

const stage = process.argv[2];
const output = path.join(stage, "python");
const pyodideDir = path.dirname(createRequire(import.meta.url).resolve("pyodide"));
const pyodide = await loadPyodide();

function* filesBelow(folder, prefix = "") {
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = prefix + entry.name;
    if (entry.isDirectory()) {
      yield* filesBelow(path.join(folder, entry.name), `${name}/`);
    } else {
      yield name;
    }
  }
}

function copyIn(folder, target) {
  for (const name of filesBelow(folder)) {
    const place = `${target}/${name}`;
    pyodide.FS.mkdirTree(path.posix.dirname(place));
    pyodide.FS.writeFile(place, new Uint8Array(readFileSync(path.join(folder, name))));
  }
}

copyIn(path.join(stage, "thirdparty"), "/pack/thirdparty");
copyIn(path.join(stage, "ours"), "/pack/ours");
pyodide.FS.writeFile("/stdlib.zip", new Uint8Array(readFileSync(path.join(pyodideDir, "python_stdlib.zip"))));
try {
  pyodide.runPython(readFileSync(new URL("./compile.py", import.meta.url), "utf8"));
} catch (error) {
  // Thrown from inside the interpreter, Node would print the whole of it around the error.
  console.error(error.message);
  process.exit(1);
}

mkdirSync(output, { recursive: true });
for (const name of ["pyodide.asm.js", "pyodide.asm.wasm"]) {
  copyFileSync(path.join(pyodideDir, name), path.join(output, name));
}
writeFileSync(path.join(output, "python_stdlib.zip"), pyodide.FS.readFile("/stdlib-compiled.zip"));

// Nothing is ever installed by name, so the page needs no list of packages.
const { info } = JSON.parse(readFileSync(path.join(pyodideDir, "pyodide-lock.json"), "utf8"));
writeFileSync(path.join(output, "pyodide-lock.json"), JSON.stringify({ info, packages: {} }));

// The packed file: the length of an index, the index (paths and sizes), then the contents one after another.
const contents = [];
const index = [];
function collect(folder, prefix = "") {
  for (const name of pyodide.FS.readdir(folder).sort()) {
    if (name === "." || name === "..") continue;
    const place = `${folder}/${name}`;
    if (pyodide.FS.isDir(pyodide.FS.stat(place).mode)) {
      collect(place, `${prefix}${name}/`);
    } else {
      const content = pyodide.FS.readFile(place);
      index.push([prefix + name, content.length]);
      contents.push(content);
    }
  }
}
collect("/pack/thirdparty");
collect("/pack/ours");
const head = Buffer.from(JSON.stringify(index));
const length = Buffer.alloc(4);
length.writeUInt32LE(head.length);
const packed = gzipSync(Buffer.concat([length, head, ...contents]), { level: 9 });
writeFileSync(path.join(output, "packages.bin"), packed);

for (const name of readdirSync(output)) {
  console.log(name, statSync(path.join(output, name)).size);
}
