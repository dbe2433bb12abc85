/** Find and replace whole functions in a module, whatever state it is in. */
import { pythonLanguage } from "@codemirror/lang-python";

export interface Range {
  from: number;
  to: number;
}

/** Where a function's last definition on module level is, its decorators included. */
export function findFunction(module: string, name: string): Range | undefined {
  let found: Range | undefined;
  const top = pythonLanguage.parser.parse(module).topNode;
  for (let node = top.firstChild; node; node = node.nextSibling) {
    const definition = node.name === "DecoratedStatement" ? node.getChild("FunctionDefinition") : node;
    const named = definition?.name === "FunctionDefinition" ? definition.getChild("VariableName") : null;
    if (named && module.slice(named.from, named.to) === name) found = { from: node.from, to: endOf(module, node) };
  }
  return found;
}

/** Where a student begins to work on some functions: the first of them that there is. */
export function firstOf(module: string, names: readonly string[]): number {
  const places = names.map((name) => findFunction(module, name)?.from).filter((from) => from !== undefined);
  return places.length ? Math.min(...places) : 0;
}

/** Put functions back to what they are in the skeleton; what is missing is added at the end. */
export function resetFunctions(module: string, skeleton: string, names: readonly string[]): string {
  let text = module;
  for (const name of names) {
    const stub = findFunction(skeleton, name);
    if (!stub) continue;
    const body = skeleton.slice(stub.from, stub.to);
    const old = findFunction(text, name);
    text = old ? text.slice(0, old.from) + body + text.slice(old.to) : `${text.trimEnd()}\n\n\n${body}\n`;
  }
  return text;
}

/** The end of a definition's last line that is not blank. */
function endOf(module: string, node: Range): number {
  return node.from + module.slice(node.from, node.to).trimEnd().length;
}
