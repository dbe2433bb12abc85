/**
 * The memory and time of a training step under four policies, at 16 bit.
 *
 * The same formulas as the course's own: Korthikanti et al. 2022 (arXiv 2205.05198), Eq 1, for what a layer keeps, and
 * exercise 2's model of segments for full recomputation. A test compares them with Python's.
 */

export interface Model {
  layers: number;
  hidden: number;
  heads: number;
  seq: number;
  batch: number;
  flashAttention: boolean;
  /** Bytes per second to the host. */
  hostBandwidth: number;
  /** FLOP/s of the GPU, as it is reached. */
  flopsPerSecond: number;
}

export interface Cost {
  /** The most that the layers' activations occupy at once. */
  peakBytes: number;
  /** Added time as a fraction of a step that recomputes nothing. */
  overhead: number;
}

interface Layer {
  inputBytes: number;
  /** What stays when the attention core is forgotten. */
  outsideCore: number;
  everything: number;
  flops: number;
  coreFlops: number;
}

function layerOf({ hidden: h, heads: a, seq: s, batch: b, flashAttention }: Model): Layer {
  const outsideCore = 34 * s * b * h;
  const coreFlops = 4 * b * s * s * h;
  return {
    inputBytes: 2 * s * b * h,
    outsideCore,
    everything: outsideCore + (flashAttention ? 0 : 5 * a * s * s * b),
    flops: 24 * b * s * h * h + coreFlops,
    coreFlops,
  };
}

export function keepEverything(model: Model): Cost {
  return { peakBytes: model.layers * layerOf(model).everything, overhead: 0 };
}

/** Recompute the attention core; undefined with FlashAttention, which keeps no core. */
export function selective(model: Model): Cost | undefined {
  if (model.flashAttention) return undefined;
  const { outsideCore, everything, flops, coreFlops } = layerOf(model);
  return {
    peakBytes: model.layers * outsideCore + (everything - outsideCore),
    overhead: coreFlops / flops / 3,
  };
}

/** Recompute whole layers, with one checkpoint per segment; the last segment is not recomputed. */
export function full(model: Model, segmentSize: number): Cost {
  const { inputBytes, everything } = layerOf(model);
  const { layers } = model;
  const segments = Math.ceil(layers / segmentSize);
  const recomputed = (segments - 1) * segmentSize;
  return {
    peakBytes: (segments - 1) * inputBytes + Math.min(segmentSize, layers) * everything,
    overhead: recomputed / (3 * layers),
  };
}

/** Move activations to the host; only what copying takes longer than computing costs time. */
export function offload(model: Model): Cost {
  const { everything, flops } = layerOf(model);
  const copy = everything / model.hostBandwidth / (flops / model.flopsPerSecond);
  return {
    peakBytes: 2 * everything,
    overhead: (Math.max(0, copy - 1) + Math.max(0, copy - 2)) / 3,
  };
}
