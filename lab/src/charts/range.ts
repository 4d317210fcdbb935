/** Axis range of a chart, and the labels of its ticks. */

import { formatNumber } from "../colors/scale";

const TAIL = 0.04; // share of the values at each end that may lie outside the axis
const MARGIN = 0.45; // extra range for these values, relative to the range of the others

/** The range of most values. If most are equal, such as those of a probe before the flow reaches it, the range of the other
 * values is included. */
export function robustRange(values: readonly number[]): [number, number] {
  const sorted = [...values].sort((a, b) => a - b);
  const [from, to] = rangeWithoutTails(sorted);
  if (from < to) return [from, to];
  const changed = sorted.filter((value) => value !== from);
  if (changed.length === 0) return [from, to];
  const [low, high] = rangeWithoutTails(changed);
  return [Math.min(from, low), Math.max(to, high)];
}

function rangeWithoutTails(sorted: readonly number[]): [number, number] {
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] ?? 0;
  const [low, high] = [at(TAIL), at(1 - TAIL)];
  const margin = MARGIN * (high - low);
  return [Math.max(at(0), low - margin), Math.min(at(1), high + margin)];
}

const [FEWEST_DIGITS, MOST_DIGITS] = [4, 10];

/** Labels of equally spaced ticks with as many digits as it takes to tell neighbours apart. */
export function tickLabels(values: readonly number[]): string[] {
  const [first, last] = [values[0] ?? 0, values.at(-1) ?? 0];
  const step = Math.abs(last - first) / Math.max(1, values.length - 1);
  const needed = step > 0 ? Math.ceil(Math.log10(Math.max(Math.abs(first), Math.abs(last)) / step) - 1e-9) + 1 : 0;
  const digits = Math.min(MOST_DIGITS, Math.max(FEWEST_DIGITS, needed));
  return values.map((value) => formatNumber(value, digits));
}
