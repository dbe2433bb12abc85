import path from "node:path";
import { defineConfig } from "vite";
import { lesson } from "./tools/lesson.ts";

// `grader site` gathers Python's part and the course in a folder of its own before it calls Vite.
const stage = process.env["SITE_STAGE"];
const root = process.env["SITE_ROOT"];
const python = process.env["SITE_PYTHON"];
if (!stage || !root || !python) {
  throw new Error("Build the page with `grader site DIR`, which prepares what it consists of.");
}

export default defineConfig({
  base: "./",
  publicDir: false,
  plugins: [lesson({ stage, root, pythonFolder: `python/${python}` })],
  define: { PYTHON_FOLDER: JSON.stringify(`python/${python}/`) },
  worker: { format: "es" },
  build: {
    target: "es2022",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      input: { index: path.resolve("index.html"), sw: path.resolve("src/sw.ts") },
      output: { entryFileNames: (chunk) => (chunk.name === "sw" ? "sw.js" : "assets/[name]-[hash].js") },
    },
  },
});
