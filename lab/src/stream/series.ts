/** Time series: growing columns of numbers. Long series are thinned to every second row. */

import { signal } from "@preact/signals";
import type { SeriesRows } from "./stream_pb";

export class Series {
  readonly names: readonly string[];
  readonly units: readonly string[];
  private columns: Float64Array[];
  count = 0;
  /** Row k here is row k * every of the run. */
  every = 1;

  constructor(names: readonly string[], units: readonly string[]) {
    this.names = names;
    this.units = units;
    this.columns = names.map(() => new Float64Array(1024));
  }

  /** The rows of a column so far (count), float64. The view may become invalid at the next `write`. */
  column(name: string): Float64Array | null {
    const column = this.columns[this.names.indexOf(name)];
    return column ? column.subarray(0, this.count) : null;
  }

  unit(name: string): string {
    return this.units[this.names.indexOf(name)] ?? "";
  }

  /** Drops rows so that every `every`-th row of the run remains; `every` is a power of two. */
  thin(every: number): void {
    const ratio = every / this.every;
    if (ratio <= 1) return;
    const kept = keptBefore(this.count, ratio);
    for (const column of this.columns) for (let k = 1; k < kept; k++) column[k] = column[k * ratio] as number;
    this.count = kept;
    this.every = every;
  }

  /** Writes rows from index `first` on and overwrites existing ones. */
  write(first: number, columns: readonly ArrayLike<number>[]): void {
    const rows = columns[0]?.length ?? 0;
    const end = first + rows;
    if (end > (this.columns[0]?.length ?? 0)) {
      const size = Math.max(end, 2 * this.count);
      this.columns = this.columns.map((old) => {
        const extended = new Float64Array(size);
        extended.set(old.subarray(0, this.count));
        return extended;
      });
    }
    this.columns.forEach((column, k) => column.set(columns[k] ?? [], first));
    this.count = Math.max(this.count, end);
  }
}

export class SeriesStore {
  readonly all = new Map<string, Series>();
  /** Incremented with every change. */
  readonly version = signal(0);

  /** Appends rows. Returns false, and changes nothing, if earlier rows are missing. */
  append(rows: SeriesRows): boolean {
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
    const start = keptBefore(first, ratio);
    if (start > series.count) return false;
    const isKept = (_: number, k: number): boolean => (first + k) % ratio === 0;
    series.write(start, rows.columns.map(({ values }) => (ratio > 1 ? values.filter(isKept) : values)));
    this.version.value++;
    return true;
  }

  /** Sets a whole series. */
  set(name: string, series: Series): void {
    this.all.set(name, series);
    this.version.value++;
  }

  clear(): void {
    this.all.clear();
    this.version.value++;
  }
}

/** Number of rows before row `first` that remain when only every `ratio`-th row is kept. */
function keptBefore(first: number, ratio: number): number {
  return Math.ceil(first / ratio);
}

/** Index of the last row at or before `time`; -1 if there is none. */
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

/** Value of the last row at or before `time`; NaN if there is none. */
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
  /** Root mean square of the deviation from the mean. */
  readonly rms: number;
  readonly rows: number;
}

/** Statistics of the rows inside a window, by the trapezoidal rule, so that uneven intervals are weighted correctly. */
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
