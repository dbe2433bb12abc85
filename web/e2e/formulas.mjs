// Prints what the page's formulas say of every model that comes in on standard input, as JSON.
import path from "node:path";
import { json } from "node:stream/consumers";
import { runnerImport } from "vite";

const formulas = path.resolve(import.meta.dirname, "../src/calculator/formulas.ts");
const { module } = await runnerImport(formulas, { configFile: false, logLevel: "silent" });
const costs = (await json(process.stdin)).map(({ segment, ...model }) => ({
  none: module.keepEverything(model),
  selective: module.selective(model) ?? null,
  full: module.full(model, segment),
  offload: module.offload(model),
}));
console.log(JSON.stringify(costs));
