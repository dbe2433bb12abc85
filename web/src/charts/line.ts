/** A chart of lines or of points, as SVG. */
import { s } from "../dom";
import type { Series } from "../python/protocol";

interface Options {
  series: Series[];
  x: string;
  y: string;
  title: string;
  /** Names for some points of the only series. */
  labels?: { index: number; text: string }[];
  xTicks?: { at: number; text: string }[];
}

const WIDTH = 640;
const HEIGHT = 300;
const MARGIN = { left: 46, right: 16, top: 26, bottom: 40 };

export function lineChart({ series, x, y, title, labels = [], xTicks }: Options): SVGSVGElement {
  const all = series.flatMap((one) => one.points);
  const xScale = scale(xTicks ? [0, 1] : [0, Math.max(...all.map(([at]) => at))], [MARGIN.left, WIDTH - MARGIN.right]);
  const yScale = scale([0, Math.max(...all.map(([, value]) => value))], [HEIGHT - MARGIN.bottom, MARGIN.top]);
  const spot = ([at, value]: [number, number]): string =>
    `${xScale.map(at).toFixed(1)} ${yScale.map(value).toFixed(1)}`;
  return s(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": title, class: "chart" },
    ...yScale.ticks.map((tick) => gridLine(yScale.map(tick), String(tick))),
    ...(xTicks ?? xScale.ticks.map((tick) => ({ at: tick, text: String(tick) }))).map(({ at, text }) =>
      s("text", { x: xScale.map(at), y: HEIGHT - MARGIN.bottom + 16, class: "c-tick middle" }, text),
    ),
    s("text", { x: MARGIN.left, y: 14, class: "c-axis" }, y),
    s("text", { x: WIDTH - MARGIN.right, y: HEIGHT - 6, class: "c-axis end" }, x),
    ...series.map((one, index) => s("path", { class: `c-line c-${index}`, d: `M${one.points.map(spot).join("L")}` })),
    ...(series.length > 1 ? legend(series) : []),
    ...labels.flatMap(({ index, text }) => {
      const point = series[0]!.points[index]!;
      const [cx, cy] = [xScale.map(point[0]), yScale.map(point[1])];
      return [
        s("circle", { class: "c-dot", cx, cy, r: 4 }),
        s("text", { class: "c-label", x: cx + 8, y: cy - 6 }, text),
      ];
    }),
  );
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
