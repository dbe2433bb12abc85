// Renders the lesson's Markdown, with its directives, to HTML.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { pythonLanguage } from "@codemirror/lang-python";
import { classHighlighter, highlightCode } from "@lezer/highlight";
import createMarkdown, { type MarkdownIt, type Token } from "markdown-it";
import { DRAWN } from "../src/course.ts";
import { diagrams } from "./diagrams.ts";

const DIRECTIVE = /^\{([\w-]+)\} *(.*)$/;
// Elsewhere on the page: the editor, its buttons and the drawing pane take their place.
const ELSEWHERE = new Set(["stub", "check", "hint"]);

export class Renderer {
  private readonly markdown: MarkdownIt;

  /**
   * @param root Of the clone.
   * @param file The text that is rendered; links without a file lead into it.
   * @param routes Where on the page a `file.md#section` is; links to anything else lose their link.
   */
  constructor(
    private readonly root: string,
    private readonly file: string,
    private readonly routes: ReadonlyMap<string, string>,
  ) {
    this.markdown = createMarkdown({ typographer: false, linkify: false, html: false });
    this.markdown.renderer.rules.fence = (tokens, index) =>
      this.fence(tokens[index]!.info.trim(), tokens[index]!.content);
    this.markdown.renderer.rules.table_open = () =>
      '<div class="table" tabindex="0" role="group" aria-label="Table"><table>';
    this.markdown.renderer.rules.table_close = () => "</table></div>";
    this.markdown.core.ruler.push("routes", (state) => {
      for (const token of state.tokens) this.route(token.children ?? []);
    });
  }

  render(source: string): string {
    return this.markdown.render(source);
  }

  /** Point links within the lesson to places on the page, and take away those that lead nowhere. */
  private route(tokens: Token[]): void {
    const open: string[] = [];
    for (const token of tokens) {
      if (token.type === "link_open") {
        const href = String(token.attrGet("href") ?? "");
        const within = href.startsWith("#") ? this.file + href : href;
        const route = this.routes.get(within) ?? (/^\w+\.md/.test(within) ? "" : href);
        if (route) token.attrSet("href", route);
        else token.attrs = [];
        token.tag = route ? "a" : "span";
        open.push(token.tag);
      } else if (token.type === "link_close") {
        token.tag = open.pop() ?? "a";
      }
    }
  }

  private fence(info: string, content: string): string {
    const escape = this.markdown.utils.escapeHtml;
    const [, kind = "", argument = ""] = DIRECTIVE.exec(info) ?? [];
    if (ELSEWHERE.has(kind)) return "";
    switch (kind) {
      case "code-cell":
        return python(content);
      case "dropdown":
        return `<details class="question"><summary>${this.markdown.renderInline(argument)}</summary><div>${this.render(content)}</div></details>`;
      case "admonition":
        return `<aside class="note"><p class="note-title">${this.markdown.renderInline(argument)}</p>${this.render(content)}</aside>`;
      case "diagram":
        return `<figure class="diagram" tabindex="0">${this.diagram(argument)}<figcaption>${this.markdown.renderInline(content.trim())}</figcaption></figure>`;
      case "figure-cell":
        return figureButton(argument.split(/\s+/)[0] ?? "");
      case "":
        return info === "python" ? python(content) : `<pre tabindex="0"><code>${escape(content)}</code></pre>`;
      default:
        throw new Error(`${this.file} has a block of unknown kind: ${kind}`);
    }
  }

  /** A drawing of the lesson's own, where it has one; else one of the page's. */
  private diagram(name: string): string {
    const own = path.join(this.root, "lesson", "figures", `${name}.svg`);
    if (existsSync(own)) return readFileSync(own, "utf8").replace(/^<\?xml.*?\?>\s*/, "");
    return diagrams[name]?.() ?? "";
  }
}

function figureButton(name: string): string {
  if (!DRAWN.some((drawn) => drawn === name)) return "";
  return `<p class="figure-call"><button type="button" data-figure="${name}">Draw this from your own functions</button></p>`;
}

function python(code: string): string {
  const escape = (text: string): string => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
  let html = "";
  highlightCode(
    code.trimEnd(),
    pythonLanguage.parser.parse(code.trimEnd()),
    classHighlighter,
    (text, classes) => (html += classes ? `<span class="${classes}">${escape(text)}</span>` : escape(text)),
    () => (html += "\n"),
  );
  return `<pre class="python" tabindex="0"><code>${html}</code></pre>`;
}
