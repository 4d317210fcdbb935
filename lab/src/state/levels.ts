/** Levels of isosurfaces: the first one, and those requested while a slider is dragged. */

import type { Histogram } from "../stream/frame";

const PATIENCE = 2000; // ms after which the next level is requested without an answer

/** A new level is requested when the surface of the last one has arrived. */
export class LevelRequests {
  private readonly asked = new Map<number, { level: number; at: number }>();

  /** The level to request for a surface. answered: whether a surface at the level requested last has arrived. now [ms]. */
  next(id: number, wanted: number, answered: (level: number) => boolean, now: number): number {
    const last = this.asked.get(id);
    if (last && last.level !== wanted && !answered(last.level) && now - last.at < PATIENCE) return last.level;
    if (last?.level !== wanted) this.asked.set(id, { level: wanted, at: now });
    return wanted;
  }

  clear(): void {
    this.asked.clear();
  }
}

const SUGGESTED_SHARE = 0.9; // of values below the suggested level

/** The level below which 90 % of the values lie, at least `least`. */
export function suggestedLevel({ low, high, counts }: Histogram, least = Number.NEGATIVE_INFINITY): number {
  const total = counts.reduce((sum, count) => sum + count, 0);
  let sum = 0;
  const bin = counts.findIndex((count) => (sum += count) >= SUGGESTED_SHARE * total);
  const level = low + ((high - low) * (Math.max(0, bin) + 1)) / (counts.length + 1);
  return Number(Math.max(least, level).toPrecision(3));
}

/** A level that the page has suggested: the same one as long as it lies among the values, which change during a run; else a new one. */
export function followedLevel(level: number | null, histogram: Histogram, least?: number): number {
  const isAmongValues = level !== null && histogram.low < level && level < histogram.high;
  return isAmongValues ? level : suggestedLevel(histogram, least);
}
