/** Charts as SVG: lines over time, and a cloud of points with its Pareto front. */
import { s } from "../dom";
import type { Series } from "../python/protocol";

interface Options {
  series: Series[];
  x: string;
  y: string;
  title: string;
  xTicks?: { at: number; text: string }[];
}

interface Label {
  index: number;
  text: string;
}

type Point = [number, number];

const WIDTH = 640;
const HEIGHT = 300;
const MARGIN = { left: 46, right: 16, top: 26, bottom: 40 };

export function lineChart({ series, ...options }: Options): SVGSVGElement {
  const { chart, spot } = frame(series, options);
  series.forEach((one, index) => chart.append(s("path", { class: `c-line c-${index}`, d: pathOf(one.points, spot) })));
  chart.append(...legend(series));
  return chart;
}

export function pointChart({ series, labels, ...options }: Options & { labels: Label[] }): SVGSVGElement {
  const { chart, spot } = frame(series, options);
  const points = series.flatMap((one) => one.points);
  chart.append(s("path", { class: "c-line", d: pathOf(front(points), spot) }));
  const named = new Map(labels.map(({ index, text }) => [index, text]));
  points.forEach((point, index) => {
    const [cx, cy] = spot(point);
    chart.append(
      s("circle", { class: named.has(index) ? "c-dot named" : "c-dot", cx, cy, r: named.has(index) ? 4 : 2.5 }),
    );
  });
  for (const [index, text] of named) {
    const [x, y] = spot(points[index]!);
    chart.append(s("text", { class: "c-label", x: x + 8, y: y - 7 }, text));
  }
  return chart;
}

/** Points that no other beats in either of their two costs, from left to right. */
function front(points: Point[]): Point[] {
  const sorted = [...points].sort(([x1, y1], [x2, y2]) => x1 - x2 || y1 - y2);
  let least = Infinity;
  return sorted.filter(([, y]) => y < least && ((least = y), true));
}

function pathOf(points: Point[], spot: (point: Point) => Point): string {
  return `M${points
    .map((point) =>
      spot(point)
        .map((value) => value.toFixed(1))
        .join(" "),
    )
    .join("L")}`;
}

/** The axes, and where a point goes within them. */
function frame(
  series: Series[],
  { x, y, title, xTicks }: Omit<Options, "series">,
): { chart: SVGSVGElement; spot: (point: Point) => Point } {
  const all = series.flatMap((one) => one.points);
  const xScale = scale([0, Math.max(...all.map(([at]) => at))], [MARGIN.left, WIDTH - MARGIN.right]);
  const yScale = scale([0, Math.max(...all.map(([, value]) => value))], [HEIGHT - MARGIN.bottom, MARGIN.top]);
  const chart = s(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": title, class: "chart" },
    ...yScale.ticks.map((tick) => gridLine(yScale.map(tick), String(tick))),
    ...(xTicks ?? xScale.ticks.map((tick) => ({ at: tick, text: String(tick) }))).map(({ at, text }) =>
      s("text", { x: xScale.map(at), y: HEIGHT - MARGIN.bottom + 16, class: "c-tick middle" }, text),
    ),
    s("text", { x: MARGIN.left, y: 14, class: "c-axis" }, y),
    s("text", { x: WIDTH - MARGIN.right, y: HEIGHT - 6, class: "c-axis end" }, x),
  );
  return { chart, spot: ([at, value]) => [xScale.map(at), yScale.map(value)] };
}

function gridLine(y: number, text: string): SVGElement {
  return s(
    "g",
    {},
    s("path", { class: "c-grid", d: `M${MARGIN.left} ${y}H${WIDTH - MARGIN.right}` }),
    s("text", { x: MARGIN.left - 8, y: y + 4, class: "c-tick end" }, text),
  );
}

function legend(series: Series[]): SVGElement[] {
  const width = 84;
  const left = WIDTH - MARGIN.right - series.length * width;
  return series.map((one, index) =>
    s(
      "g",
      { transform: `translate(${left + index * width} 10)` },
      s("path", { class: `c-line c-${index}`, d: "M0 0H20" }),
      s("text", { x: 26, y: 4, class: "c-axis" }, one.label),
    ),
  );
}

interface Scale {
  map(value: number): number;
  ticks: number[];
}

/** A linear scale that ends at a round number. */
function scale([low, high]: [number, number], [from, to]: [number, number]): Scale {
  const rough = Math.max(high - low, 1e-9) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? rough;
  const top = low + step * Math.ceil((high - low) / step);
  const ticks = Array.from(
    { length: Math.round((top - low) / step) + 1 },
    (_, index) => +(low + index * step).toPrecision(6),
  );
  return { map: (value) => from + ((value - low) / (top - low)) * (to - from), ticks };
}
