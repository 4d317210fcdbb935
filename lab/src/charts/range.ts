/** Axis range of a chart, and the labels of its ticks. */

import { formatNumber } from "../colors/scale";
import type { Band, Column } from "./specs";

const TAIL = 0.04; // share of the values at each end that may lie outside the axis
const MARGIN = 0.45; // extra range for these values, relative to the range of the others

const MARGIN_OF_AXIS = 0.08; // relative to the range of the values
const SMALLEST_RANGE = 1e-9; // relative to the values
const CONSTANT = 0.05; // margin about values that are all equal, relative to them

/** The range of an axis: that of most values of each curve, so that sound waves at the start do not flatten the rest, with the latest
 * value of each curve, and with bands that are near. */
export function axisRange(columns: readonly Column[], bands: readonly Band[]): [number, number] {
  const values = columns.map((column) => column.filter((value) => value !== null));
  if (values.every(({ length }) => length === 0)) return [0, 1];
  let [from, to] = [Infinity, -Infinity];
  for (const column of values.filter(({ length }) => length > 0)) {
    const latest = column.at(-1) as number;
    const [low, high] = robustRange(column);
    from = Math.min(from, low, latest);
    to = Math.max(to, high, latest);
  }
  for (const band of bands) {
    const isNear = band.low - to < 0.8 * (to - from) && from - band.high < 0.8 * (to - from);
    if (!isNear) continue;
    from = Math.min(from, band.low);
    to = Math.max(to, band.high);
  }
  const size = Math.max(Math.abs(from), Math.abs(to));
  const margin = to - from > SMALLEST_RANGE * size ? MARGIN_OF_AXIS * (to - from) : size > 0 ? CONSTANT * size : 1;
  return [from - margin, to + margin];
}

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

/** A number without an exponent. */
function plain(value: number, digits: number): string {
  return Number(value.toPrecision(digits)).toFixed(10).replace(/\.?0+$/, "").replace("-", "−");
}

const [FEWEST_DIGITS, MOST_DIGITS] = [4, 10];

/** Labels of equally spaced ticks with as many digits as it takes to tell neighbours apart. */
export function tickLabels(values: readonly number[]): string[] {
  const [first, last] = [values[0] ?? 0, values.at(-1) ?? 0];
  const step = Math.abs(last - first) / Math.max(1, values.length - 1);
  const needed = step > 0 ? Math.ceil(Math.log10(Math.max(Math.abs(first), Math.abs(last)) / step) - 1e-9) + 1 : 0;
  const digits = Math.min(MOST_DIGITS, Math.max(FEWEST_DIGITS, needed));
  const smallest = Math.min(...values.map(Math.abs).filter((size) => size > 0));
  const largest = Math.max(Math.abs(first), Math.abs(last));
  if (smallest < 1e-3 && largest >= 1e-3) return values.map((value) => plain(value, digits)); // not 5e-4 beside 0.001
  return values.map((value) => formatNumber(value, digits));
}
