/** Colour scales and number formats. */

import type { Quantity } from "./quantities";

export interface Scale {
  readonly low: number;
  readonly high: number;
}

const BINS = 512;
const TOP_PERCENTILE = 0.99;

/** A histogram for percentiles; its range doubles when a value lies outside. */
export class Histogram {
  private counts = new Float64Array(BINS);
  private limit = 0;
  private total = 0;

  /** Counts values; values that are not finite are ignored. */
  add(values: Float32Array): void {
    let largest = 0;
    for (const value of values) {
      const size = Math.abs(value);
      if (size > largest && size < Infinity) largest = size;
    }
    if (largest > this.limit) this.extend(largest);
    if (this.limit === 0) return;
    const slope = BINS / (2 * this.limit);
    for (const value of values) {
      if (!Number.isFinite(value)) continue;
      const bin = Math.min(BINS - 1, Math.floor((value + this.limit) * slope));
      this.counts[bin] = (this.counts[bin] as number) + 1;
      this.total++;
    }
  }

  /** The scale up to the 99th percentile, so that a few outliers do not dominate. */
  scale(quantity: Quantity): Scale {
    if (this.total === 0) return quantity.kind === "diverging" ? { low: -1, high: 1 } : { low: 0, high: 1 };
    if (quantity.kind === "diverging") {
      const high = this.percentileOfMagnitude(TOP_PERCENTILE);
      return { low: -high, high };
    }
    const high = this.percentile(TOP_PERCENTILE);
    if (quantity.startsAtZero) return { low: 0, high: high > 0 ? high : 1 };
    const low = this.percentile(1 - TOP_PERCENTILE);
    return high > low ? { low, high } : { low: low - 0.5, high: low + 0.5 };
  }

  private extend(value: number): void {
    let newLimit = this.limit || value;
    while (newLimit < value) newLimit *= 2;
    const old = this.counts;
    const share = this.limit / newLimit;
    this.counts = new Float64Array(BINS);
    for (let bin = 0; bin < BINS; bin++) {
      const value = (2 * (bin + 0.5)) / BINS - 1;
      const newBin = Math.floor(((value * share + 1) * BINS) / 2);
      this.counts[newBin] = (this.counts[newBin] as number) + (old[bin] as number);
    }
    this.limit = newLimit;
  }

  private percentile(share: number): number {
    let sum = 0;
    for (let bin = 0; bin < BINS; bin++) {
      sum += this.counts[bin] as number;
      if (sum >= share * this.total) return this.edge(share > 0.5 ? bin + 1 : bin);
    }
    return this.limit;
  }

  private percentileOfMagnitude(share: number): number {
    const half = BINS / 2;
    let sum = 0;
    for (let k = 0; k < half; k++) {
      sum += (this.counts[half + k] as number) + (this.counts[half - 1 - k] as number);
      if (sum >= share * this.total) return this.edge(half + k + 1);
    }
    return this.limit;
  }

  private edge(bin: number): number {
    return this.limit * ((2 * bin) / BINS - 1);
  }
}

/** Round tick values inside the scale, about `maxCount` at most. */
export function roundTicks(scale: Scale, maxCount = 5): number[] {
  const span = scale.high - scale.low;
  if (!(span > 0)) return [];
  const rough = span / maxCount;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 2.5, 5, 10].find((s) => s * power >= rough) ?? 10);
  const list: number[] = [];
  for (let k = Math.ceil(scale.low / step - 1e-9); k * step <= scale.high + 1e-9 * span; k++) list.push(k * step);
  return list;
}

/** A number with a few significant digits, without trailing zeros: 0.0123, 1.5, 1.2e6. */
export function formatNumber(value: number, digits = 3): string {
  if (value === 0 || !Number.isFinite(value)) return Number.isFinite(value) ? "0" : "–";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return value.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e").replaceAll("-", "−");
  return String(Number(value.toPrecision(digits))).replace("-", "−");
}
