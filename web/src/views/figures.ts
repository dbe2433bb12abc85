/** Figures that the page draws from what Python measured of the student's functions. */
import { lineChart, pointChart } from "../charts/charts";
import { h } from "../dom";
import type { FigureAnswer, Series } from "../python/protocol";

interface Figure {
  title: string;
  call: string;
  draw(series: Series[], marks: number[]): SVGSVGElement;
}

const FIGURES: Record<string, Figure> = {
  memory_over_time: {
    title: "Memory over time: 48 layers in segments of k",
    call: "Draw memory over time",
    draw: (series) =>
      lineChart({
        series,
        title: summary(series),
        x: "through forward and backward",
        y: "arrays alive",
        xTicks: [
          { at: 0, text: "start" },
          { at: 1, text: "end" },
        ],
      }),
  },
  segment_sweep: {
    title: "Every segment size of 64 layers: what it holds and what it costs",
    call: "Draw the sweep",
    draw: (series, sizes) =>
      pointChart({
        series,
        title: "Overhead in percent against memory, for every segment size",
        x: "memory, in layer inputs",
        y: "overhead, %",
        labels: landmarks(series[0]?.points ?? [], sizes),
      }),
  },
};

export class FigurePanel {
  readonly element = h("div", { class: "figure" });
  private waiting = false;

  constructor(private readonly draw: (name: string) => void) {}

  /** Offer the figures of a section. */
  open(names: string[]): void {
    this.element.replaceChildren(
      ...names.filter((name) => name in FIGURES).map((name) => this.button(name, FIGURES[name]!.call)),
    );
  }

  wait(name: string): void {
    this.waiting = true;
    this.element.replaceChildren(h("p", {}, `Measuring your functions for “${FIGURES[name]?.title ?? name}” …`));
  }

  show(name: string, answer: FigureAnswer): void {
    this.waiting = false;
    const figure = FIGURES[name];
    if (!figure) return;
    const again = this.button(name, "Draw again");
    if ("problem" in answer) {
      this.element.replaceChildren(h("pre", { class: "output" }, answer.problem), again);
    } else {
      this.element.replaceChildren(
        h("figure", {}, h("figcaption", {}, figure.title), figure.draw(answer.series, answer.marks)),
        again,
      );
    }
  }

  interrupt(sentence: string): void {
    if (this.waiting) this.element.replaceChildren(h("p", {}, sentence));
    this.waiting = false;
  }

  private button(name: string, text: string): HTMLElement {
    return h("p", {}, h("button", { type: "button", onclick: () => this.draw(name) }, text));
  }
}

function summary(series: Series[]): string {
  const peaks = series.map((one) => `${one.label}: ${Math.max(...one.points.map(([, value]) => value)).toFixed(1)}`);
  return `Peak in arrays of the size of x. ${peaks.join("; ")}.`;
}

/** The least memory, the root of the number of layers, and the two ends; of neighbours in the figure only the first. */
function landmarks(points: [number, number][], sizes: number[]): { index: number; text: string }[] {
  const memory = points.map(([held]) => held);
  const least = memory.indexOf(Math.min(...memory));
  const far = Math.max(...memory) / 20;
  const chosen: number[] = [];
  for (const index of [least, Math.round(Math.sqrt(points.length)) - 1, points.length - 1, 0]) {
    if (chosen.every((other) => Math.abs(memory[other]! - memory[index]!) > far)) chosen.push(index);
  }
  return chosen.map((index) => ({ index, text: `k = ${sizes[index] ?? index + 1}` }));
}
