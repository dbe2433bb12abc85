/** Panels of which one is shown, chosen by tabs as WAI-ARIA describes them. */
import { h } from "../dom";

interface Panel {
  id: string;
  title: string;
  content: HTMLElement;
}

export class Tabs {
  readonly element: HTMLElement;
  private readonly tabs = new Map<string, HTMLButtonElement>();
  private readonly panels = new Map<string, HTMLElement>();

  constructor(panels: Panel[]) {
    const list = h("div", { class: "tabs", role: "tablist", "aria-label": "What Python said" });
    this.element = h("div", { class: "panels" }, list);
    for (const { id, title, content } of panels) {
      const tab = h(
        "button",
        { type: "button", role: "tab", "aria-label": title, onclick: () => this.show(id) },
        title,
      );
      const panel = h(
        "div",
        { role: "tabpanel", class: `panel panel-${id}`, "aria-label": title, tabindex: 0 },
        content,
      );
      this.tabs.set(id, tab);
      this.panels.set(id, panel);
      list.append(tab);
      this.element.append(panel);
    }
    list.addEventListener("keydown", (event) => this.walk(event));
    this.show(panels[0]!.id);
  }

  show(id: string): void {
    for (const [name, tab] of this.tabs) {
      tab.setAttribute("aria-selected", String(name === id));
      tab.tabIndex = name === id ? 0 : -1;
      this.panels.get(name)!.hidden = name !== id;
    }
  }

  enable(id: string, enabled: boolean): void {
    this.tabs.get(id)!.hidden = !enabled;
  }

  private walk(event: KeyboardEvent): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const shown = [...this.tabs].filter(([, tab]) => !tab.hidden);
    const here = shown.findIndex(([, tab]) => tab === document.activeElement);
    const [id, tab] = shown[(here + step + shown.length) % shown.length]!;
    this.show(id);
    tab.focus();
    event.preventDefault();
  }
}
