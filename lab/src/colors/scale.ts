/** Scales: the range of values that a colour map covers. */

import type { Quantity } from "./quantities";

export interface Scale {
  readonly low: number;
  readonly high: number;
}

const BINS = 512;
const ROBUST = 0.99;

/** Counts of values, from which percentiles follow; the range doubles when a value lies beyond it. */
export class Histogram {
  private counts = new Float64Array(BINS);
  private reach = 0;
  private total = 0;

  /** values: any length; those that are not finite are left out. */
  add(values: Float32Array): void {
    let largest = 0;
    for (const value of values) {
      const size = Math.abs(value);
      if (size > largest && size < Infinity) largest = size;
    }
    if (largest > this.reach) this.widen(largest);
    if (this.reach === 0) return;
    const slope = BINS / (2 * this.reach);
    for (const value of values) {
      if (!Number.isFinite(value)) continue;
      const bin = Math.min(BINS - 1, Math.floor((value + this.reach) * slope));
      this.counts[bin] = (this.counts[bin] as number) + 1;
      this.total++;
    }
  }

  /** Up to the 99th percentile, so that a few wild pixels do not bleach the rest. */
  scale(quantity: Quantity): Scale {
    if (this.total === 0) return quantity.kind === "diverging" ? { low: -1, high: 1 } : { low: 0, high: 1 };
    if (quantity.kind === "diverging") {
      const high = this.percentileOfSize(ROBUST);
      return { low: -high, high };
    }
    const high = this.percentile(ROBUST);
    if (quantity.startsAtZero) return { low: 0, high: high > 0 ? high : 1 };
    const low = this.percentile(1 - ROBUST);
    return high > low ? { low, high } : { low: low - 0.5, high: low + 0.5 };
  }

  private widen(reach: number): void {
    let wide = this.reach || reach;
    while (wide < reach) wide *= 2;
    const old = this.counts;
    const share = this.reach / wide;
    this.counts = new Float64Array(BINS);
    for (let bin = 0; bin < BINS; bin++) {
      const value = (2 * (bin + 0.5)) / BINS - 1;
      const place = Math.floor(((value * share + 1) * BINS) / 2);
      this.counts[place] = (this.counts[place] as number) + (old[bin] as number);
    }
    this.reach = wide;
  }

  private percentile(share: number): number {
    let seen = 0;
    for (let bin = 0; bin < BINS; bin++) {
      seen += this.counts[bin] as number;
      if (seen >= share * this.total) return this.edge(share > 0.5 ? bin + 1 : bin);
    }
    return this.reach;
  }

  private percentileOfSize(share: number): number {
    const half = BINS / 2;
    let seen = 0;
    for (let k = 0; k < half; k++) {
      seen += (this.counts[half + k] as number) + (this.counts[half - 1 - k] as number);
      if (seen >= share * this.total) return this.edge(half + k + 1);
    }
    return this.reach;
  }

  private edge(bin: number): number {
    return this.reach * ((2 * bin) / BINS - 1);
  }
}

/** Ticks for a legend: round values inside the scale, at most `most`. */
export function ticks(scale: Scale, most = 5): number[] {
  const span = scale.high - scale.low;
  if (!(span > 0)) return [];
  const rough = span / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 2.5, 5, 10].find((s) => s * power >= rough) ?? 10);
  const list: number[] = [];
  for (let k = Math.ceil(scale.low / step - 1e-9); k * step <= scale.high + 1e-9 * span; k++) list.push(k * step);
  return list;
}

/** A number in three significant digits, without needless zeros: 0.0123, 1.5, 1.2e6. */
export function short(value: number, digits = 3): string {
  if (value === 0 || !Number.isFinite(value)) return Number.isFinite(value) ? "0" : "–";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return value.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e").replaceAll("-", "−");
  return String(Number(value.toPrecision(digits))).replace("-", "−");
}
