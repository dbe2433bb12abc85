// Small drawings for the texts. They take their colours from the page's style sheet.

type Draw = () => string;

const WIDTH = 640;

function svg(height: number, body: string): string {
  return `<svg viewBox="0 0 ${WIDTH} ${height}" aria-hidden="true" focusable="false">${body}</svg>`;
}

function box(x: number, y: number, width: number, height: number, kind = "plain"): string {
  return `<rect class="d-${kind}" x="${x}" y="${y}" width="${width}" height="${height}" rx="4"/>`;
}

function text(x: number, y: number, content: string, kind = "label"): string {
  return `<text class="d-${kind}" x="${x}" y="${y}">${content}</text>`;
}

function arrow(x1: number, x2: number, y: number): string {
  const tip = x2 > x1 ? -5 : 5;
  return `<path class="d-line" d="M${x1} ${y}H${x2}m${tip} -4l${-tip} 4l${tip} 4"/>`;
}

function dot(x: number, y: number, kept: boolean): string {
  return `<circle class="${kept ? "d-kept" : "d-gone"}" cx="${x}" cy="${y}" r="6"/>`;
}

/** A chain of eight layers with a dot for the input of each; filled dots are kept. */
function layers(y: number, kept: (layer: number) => boolean, busy: (layer: number) => boolean = () => false): string {
  const step = (WIDTH - 60) / 8;
  let body = "";
  for (let layer = 0; layer < 8; layer++) {
    const x = 30 + layer * step;
    body += arrow(x + 6, x + 18, y) + box(x + 20, y - 16, step - 28, 32, busy(layer) ? "busy" : "plain");
    body += text(x + 20 + (step - 28) / 2, y + 5, String(layer + 1)) + dot(x, y, kept(layer));
  }
  return body + arrow(WIDTH - 36, WIDTH - 16, y);
}

export const diagrams: Record<string, Draw> = {
  chain: () =>
    svg(
      64,
      layers(32, () => true),
    ),
  checkpointed_chain: () =>
    svg(
      64,
      layers(32, (layer) => layer % 4 === 0),
    ),
  rebuild: () =>
    svg(
      150,
      text(30, 18, "first", "caption") +
        layers(
          44,
          (layer) => layer % 4 === 0 || layer > 4,
          (layer) => layer > 3,
        ) +
        text(30, 96, "then", "caption") +
        layers(
          122,
          (layer) => layer < 4,
          (layer) => layer < 4,
        ),
    ),
  budget: () => {
    const bars: [string, number, string][] = [
      ["weights", 90, "plain"],
      ["gradients", 90, "plain"],
      ["optimizer state", 300, "plain"],
      ["activations", 420, "busy"],
    ];
    const rows = bars.map(
      ([name, width, kind], row) => text(120, 22 + row * 34, name, "end") + box(134, 6 + row * 34, width, 22, kind),
    );
    return svg(142, rows.join("") + `<path class="d-line" d="M544 119H250m7 -5l-7 5l7 5"/>`);
  },
  pareto: () => {
    const front = [
      [70, 30],
      [110, 78],
      [170, 110],
      [260, 132],
      [400, 146],
    ];
    const others = [
      [190, 50],
      [260, 80],
      [330, 104],
      [450, 90],
      [520, 128],
    ];
    const points = (all: number[][], kept: boolean): string => all.map(([x, y]) => dot(x!, y!, kept)).join("");
    return svg(
      190,
      `<path class="d-line" d="M40 10V166H620"/><path class="d-front" d="M${front.map((point) => point.join(" ")).join("L")}"/>` +
        points(others, false) +
        points(front, true) +
        text(320, 186, "memory") +
        text(48, 20, "overhead", "caption"),
    );
  },
  attention_matrix: () => {
    const cell = (x: number, y: number, width: number, height: number, name: string, kind = "plain"): string =>
      box(x, y, width, height, kind) + text(x + width / 2, y + height + 18, name);
    return svg(
      190,
      cell(60, 20, 30, 140, "Q") +
        text(112, 95, "×") +
        cell(134, 75, 140, 30, "Kᵀ") +
        text(304, 95, "=") +
        cell(330, 20, 140, 140, "scores, S × S", "busy") +
        text(492, 95, "×") +
        cell(512, 20, 30, 140, "V"),
    );
  },
};
