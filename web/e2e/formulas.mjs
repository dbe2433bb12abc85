// Prints what the page's formulas say of every model that comes in on standard input, as JSON.
import { readFileSync } from "node:fs";
import path from "node:path";
import { runnerImport } from "vite";

const formulas = path.resolve(import.meta.dirname, "../src/calculator/formulas.ts");
const { module } = await runnerImport(formulas, { configFile: false, logLevel: "silent" });
const costs = JSON.parse(readFileSync(0, "utf8")).map(({ segment, ...model }) => ({
  none: module.keepEverything(model),
  selective: module.selective(model) ?? null,
  full: module.full(model, segment),
  offload: module.offload(model),
}));
console.log(JSON.stringify(costs));
