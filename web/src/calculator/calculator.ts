/** The figure of the first page: what each policy costs a model of one's own. */
import { h } from "../dom";
import { full, keepEverything, offload, selective, type Cost, type Model } from "./formulas";

interface Slider {
  name: string;
  input: HTMLInputElement;
  element: HTMLElement;
  value(): number;
}

const GB = 1e9;
// The wire and the GPU of the last topic's example.
const HOST_BANDWIDTH = 25e9;
const FLOPS_PER_SECOND = 156e12;

export function calculator(): HTMLElement {
  const layers = slider("Layers", range(1, 128), 95);
  const segment = slider("Layers per segment", range(1, 32), 0);
  const hidden = slider("Hidden", [1024, 2048, 3072, 4096, 5120, 6144, 8192, 10240, 12288, 16384], 8);
  const seq = slider("Sequence", [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072], 2);
  const heads = slider("Heads", [8, 16, 32, 48, 64, 96, 128], 5);
  const memory = slider("GPU memory", [16, 24, 40, 48, 80, 96, 141, 192], 4, "GB");
  const flash = h("input", { type: "checkbox", id: "flash" });
  const rows = {
    none: row("none", "Keep everything"),
    selective: row("selective", "Selective: rebuild the attention core"),
    full: row("full", "Full: rebuild whole layers"),
    offload: row("offload", "Offload to the host"),
  };

  const update = (): void => {
    const model: Model = {
      layers: layers.value(),
      hidden: hidden.value(),
      heads: heads.value(),
      seq: seq.value(),
      batch: 1,
      flashAttention: flash.checked,
      hostBandwidth: HOST_BANDWIDTH,
      flopsPerSecond: FLOPS_PER_SECOND,
    };
    const costs = {
      none: keepEverything(model),
      selective: selective(model),
      full: full(model, segment.value()),
      offload: offload(model),
    };
    const limit = memory.value() * GB;
    const most = Math.max(limit * 1.15, ...Object.values(costs).map((cost) => cost?.peakBytes ?? 0));
    for (const name of Object.keys(rows) as (keyof typeof rows)[]) rows[name].show(costs[name], limit, most);
  };
  const sliders = [layers, segment, hidden, seq, heads, memory];
  for (const { input } of sliders) input.addEventListener("input", update);
  flash.addEventListener("input", update);
  update();

  return h(
    "section",
    { class: "calculator", "aria-labelledby": "calculator-title" },
    h("h2", { id: "calculator-title" }, "What would it do for your model?"),
    h(
      "div",
      { class: "controls" },
      ...sliders.map(({ element }) => element),
      h("label", { class: "switch", for: "flash" }, flash, " FlashAttention"),
    ),
    h("div", { class: "bars" }, ...Object.values(rows).map(({ element }) => element)),
    h(
      "p",
      { class: "fine" },
      "Activations of one sequence at 16 bit, on one GPU; weights, gradients and optimizer state come on top. The line is your GPU. " +
        "Offloading assumes 25 GB/s to the host and 156 TFLOP/s.",
    ),
  );
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

function slider(name: string, values: number[], start: number, unit = ""): Slider {
  const id = `slider-${name.toLowerCase().replace(/\W+/g, "-")}`;
  const input = h("input", { type: "range", id, min: 0, max: values.length - 1, step: 1, value: start });
  const output = h("output", { for: id });
  const value = (): number => values[Number(input.value)]!;
  const show = (): void => {
    output.textContent = `${value().toLocaleString("en")}${unit && ` ${unit}`}`;
    input.setAttribute("aria-valuetext", output.textContent);
  };
  input.addEventListener("input", show);
  show();
  return { name, input, value, element: h("div", { class: "slider" }, h("label", { for: id }, name), output, input) };
}

function row(
  kind: string,
  name: string,
): { element: HTMLElement; show(cost: Cost | undefined, limit: number, most: number): void } {
  const fill = h("div", { class: "fill" });
  const mark = h("div", { class: "limit" });
  const size = h("span", { class: "size" });
  const extra = h("span", { class: "extra" });
  const element = h(
    "div",
    { class: `bar ${kind}` },
    h("p", {}, h("span", { class: "bar-name" }, name), size, extra),
    h("div", { class: "track", "aria-hidden": "true" }, fill, mark),
  );
  return {
    element,
    show(cost, limit, most) {
      fill.style.width = `${(100 * (cost?.peakBytes ?? 0)) / most}%`;
      mark.style.left = `${(100 * limit) / most}%`;
      const fits = cost !== undefined && cost.peakBytes <= limit;
      element.dataset["fits"] = String(fits);
      size.textContent = cost ? `${gigabytes(cost.peakBytes)} GB${fits ? "" : ", does not fit"}` : "same as above";
      extra.textContent = cost ? `+${(100 * cost.overhead).toFixed(1)} % time` : "nothing left to rebuild";
    },
  };
}

function gigabytes(bytes: number): string {
  const value = bytes / GB;
  return value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(2 + Number(value >= 10));
}
