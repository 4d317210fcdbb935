/** Time series: columns of numbers that grow, and of which every second row goes when there are very many. */

import { signal } from "@preact/signals";
import type { SeriesRows } from "./stream_pb";

export class Series {
  readonly names: readonly string[];
  readonly units: readonly string[];
  private columns: Float64Array[];
  count = 0;
  /** Row k is row k * every of the run. */
  every = 1;

  constructor(names: readonly string[], units: readonly string[]) {
    this.names = names;
    this.units = units;
    this.columns = names.map(() => new Float64Array(1024));
  }

  /** Rows so far of a column: (count) float64, a view that the next `write` may outdate. */
  column(name: string): Float64Array | null {
    const column = this.columns[this.names.indexOf(name)];
    return column ? column.subarray(0, this.count) : null;
  }

  unit(name: string): string {
    return this.units[this.names.indexOf(name)] ?? "";
  }

  /** Drops rows until they lie so far apart: a power of two. */
  thin(every: number): void {
    const ratio = every / this.every;
    if (ratio <= 1) return;
    const kept = keptBefore(this.count, ratio);
    for (const column of this.columns) for (let k = 1; k < kept; k++) column[k] = column[k * ratio] as number;
    this.count = kept;
    this.every = every;
  }

  /** Puts rows at `first`, over what may be there. */
  write(first: number, columns: readonly ArrayLike<number>[]): void {
    const rows = columns[0]?.length ?? 0;
    const end = first + rows;
    if (end > (this.columns[0]?.length ?? 0)) {
      const size = Math.max(end, 2 * this.count);
      this.columns = this.columns.map((old) => {
        const wide = new Float64Array(size);
        wide.set(old.subarray(0, this.count));
        return wide;
      });
    }
    this.columns.forEach((column, k) => column.set(columns[k] ?? [], first));
    this.count = Math.max(this.count, end);
  }
}

export class SeriesStore {
  readonly all = new Map<string, Series>();
  /** Grows with every change. */
  readonly version = signal(0);

  /** False if rows before these are missing: then nothing is taken. */
  take(rows: SeriesRows): boolean {
    const every = Number(rows.every) || 1;
    const first = Number(rows.first);
    let series = this.all.get(rows.name);
    if (!series) {
      if (first > 0) return false;
      series = new Series(rows.columns.map(({ name }) => name), rows.columns.map(({ unit }) => unit));
      this.all.set(rows.name, series);
    }
    series.thin(every);
    const ratio = series.every / every;
    const begin = keptBefore(first, ratio);
    if (begin > series.count) return false;
    const own = (_: number, k: number): boolean => (first + k) % ratio === 0;
    series.write(begin, rows.columns.map(({ values }) => (ratio > 1 ? values.filter(own) : values)));
    this.version.value++;
    return true;
  }

  /** A whole series, in place of what was there. */
  put(name: string, series: Series): void {
    this.all.set(name, series);
    this.version.value++;
  }

  clear(): void {
    this.all.clear();
    this.version.value++;
  }
}

/** How many of the rows before row `first` are left when of each `ratio` only the first stays. */
function keptBefore(first: number, ratio: number): number {
  return Math.ceil(first / ratio);
}

/** The row of the last time that is not after `time`; -1 if there is none. */
export function rowAt(times: Float64Array, time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] as number) <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The value of the last row that is not after `time`; NaN if there is none. */
export function valueAtTime(times: Float64Array, values: Float64Array, time: number): number {
  return values[rowAt(times, time + 1e-12)] ?? Number.NaN;
}

export interface Window {
  readonly from: number;
  readonly to: number;
}

export interface Statistics {
  readonly mean: number;
  readonly min: number;
  readonly max: number;
  /** Root mean square of the departure from the mean. */
  readonly rms: number;
  readonly rows: number;
}

/** Of the rows inside a window; by the trapezoidal rule, so that uneven times count rightly. */
export function statistics(times: Float64Array, values: Float64Array, window: Window): Statistics | null {
  const first = rowAt(times, window.from - 1e-12) + 1;
  const last = rowAt(times, window.to + 1e-12);
  if (last - first < 1) return null;
  let [min, max, sum, square, span] = [Infinity, -Infinity, 0, 0, 0];
  let shift = Number.NaN;
  for (let k = first; k <= last; k++) {
    const value = values[k] as number;
    if (!Number.isFinite(value)) continue;
    if (Number.isNaN(shift)) shift = value;
    if (value < min) min = value;
    if (value > max) max = value;
    const before = k > first ? (times[k] as number) - (times[k - 1] as number) : 0;
    const after = k < last ? (times[k + 1] as number) - (times[k] as number) : 0;
    const weight = (before + after) / 2;
    sum += weight * (value - shift);
    square += weight * (value - shift) ** 2;
    span += weight;
  }
  if (!(span > 0)) return null;
  const mean = sum / span;
  return { mean: mean + shift, min, max, rms: Math.sqrt(Math.max(0, square / span - mean * mean)), rows: last - first + 1 };
}
