/** Specifications of the charts, derived from the series of a run. */

import { LEVEL } from "../colors/quantities";
import type { Hello } from "../stream/stream_pb";
import type { Series, SeriesStore } from "../stream/series";

export interface Curve {
  readonly series: string;
  readonly column: string;
  readonly label: string;
  /** Factor from stored to displayed values. */
  readonly factor: number;
}

export interface Band {
  readonly low: number;
  readonly high: number;
  /** The statistic of the curve, e.g. "max". */
  readonly statistic: string;
  readonly source: string;
}

export interface ChartSpec {
  readonly name: string;
  readonly title: string;
  readonly unit: string;
  readonly curves: readonly Curve[];
  readonly bands: readonly Band[];
}

const ENERGIES = ["kinetic_energy", "potential_energy", "elastic_energy", "thermal_energy", "energy"] as const;
const SIDES = new Set(["left", "right", "bottom", "top", "front", "back"]);

/** All charts of a run: forces on bodies, then observers, levels of refinement, energy and, without bodies, forces on walls. */
export function chartSpecs(store: SeriesStore, hello: Hello | null): ChartSpec[] {
  const names = [...store.all.keys()];
  const found = [...forceCharts(store, names, hello), ...observerCharts(store, names, hello), ...levelCharts(store, hello), ...energyCharts(store)];
  if (!names.some((name) => isBody(name))) found.push(...wallCharts(names, hello));
  return found;
}

function isBody(name: string): boolean {
  return name.startsWith("force.") && !SIDES.has(name.slice(6));
}

/** Time of the first row of a series [s]; bodies are sorted by it. */
function startTime(store: SeriesStore, name: string): number {
  return store.all.get(name)?.column("time")?.[0] ?? Infinity;
}

function forceCharts(store: SeriesStore, names: readonly string[], hello: Hello | null): ChartSpec[] {
  const bodies = names.filter(isBody);
  if (bodies.length === 0) return [];
  bodies.sort((a, b) => startTime(store, a) - startTime(store, b));
  const coefficient = hello?.reference?.coefficientOfForce ?? 0;
  const unit = hello?.dimensions === 3 ? "N" : "N/m";
  const chart = (name: string, title: string, column: string): ChartSpec => ({
    name,
    title: coefficient > 0 ? `${title} coefficient` : title,
    unit: coefficient > 0 ? "" : unit,
    curves: bodies.map((series) => ({ series, column, label: series.slice(6), factor: coefficient > 0 ? coefficient : 1 })),
    bands: bandsOf(hello, `${name}_coefficient`),
  });
  return [chart("drag", "Drag", "total_x"), chart("lift", "Lift", "total_y")];
}

/** Published bands for a curve, e.g. from "cylinder.drag_coefficient.max". */
function bandsOf(hello: Hello | null, quantity: string): Band[] {
  return (hello?.expectations ?? [])
    .filter((expect) => expect.holds && !expect.curve && new RegExp(`^\\w+\\.${quantity}(\\.\\w+)?$`).test(expect.quantity))
    .map(({ low, high, source, quantity: name }) => ({ low, high, statistic: name.split(".").pop() ?? "", source }));
}

/** Columns of observers of which one is charted; else one that is a quantity of the run. */
const CHART_COLUMNS = new Set(["pressure", "pressure_drop", "position", "height", "recirculation_length"]);

/** Columns of a tracked particle that are charted. */
const PARTICLE_COLUMNS = ["speed", "pressure"];

function observerCharts(store: SeriesStore, names: readonly string[], hello: Hello | null): ChartSpec[] {
  const found: ChartSpec[] = [];
  const quantities = new Set(hello?.quantities.map((quantity) => quantity.name));
  for (const name of names) {
    if (name === "budget" || name.startsWith("force.") || name.startsWith("opening.")) continue;
    const series = store.all.get(name);
    if (series?.names.includes("position_x")) {
      found.push(...PARTICLE_COLUMNS.map((column) => observerChart(`${name}.${column}`, name, series, column, hello)));
      continue;
    }
    const column = series?.names.find((each) => CHART_COLUMNS.has(each)) ?? series?.names.find((each) => quantities.has(each));
    if (!series || !column) continue;
    found.push(observerChart(name, name, series, column, hello));
  }
  return found;
}

function observerChart(chart: string, name: string, series: Series, column: string, hello: Hello | null): ChartSpec {
  return {
    name: chart,
    title: `${name.replaceAll("_", " ")}: ${column.replaceAll("_", " ")}`,
    unit: series.unit(column),
    curves: [{ series: name, column, label: name, factor: 1 }],
    bands: bandsOf(hello, column),
  };
}

/** Cells of each level of refinement. An observer may have the same name. */
function levelCharts(store: SeriesStore, hello: Hello | null): ChartSpec[] {
  const levels = hello?.quantities.some(({ name }) => name === LEVEL) ? store.all.get("levels") : undefined;
  const columns = levels?.names.filter((column) => /^cells_\d+$/.test(column)) ?? [];
  const curves = columns.map((column) => ({ series: "levels", column, label: `level ${column.slice(6)}`, factor: 1 }));
  return curves.length > 1 ? [{ name: "levels", title: "Cells of each level", unit: "", curves, bands: [] }] : [];
}

function energyCharts(store: SeriesStore): ChartSpec[] {
  const budget = store.all.get("budget");
  if (!budget) return [];
  const columns = ENERGIES.filter((column) => budget.names.includes(column));
  const curves = columns.map((column) => ({ series: "budget", column, label: column.replace("_energy", ""), factor: 1 }));
  const first = columns[0];
  return first ? [{ name: "energy", title: "Energy", unit: budget.unit(first), curves, bands: [] }] : [];
}

function wallCharts(names: readonly string[], hello: Hello | null): ChartSpec[] {
  const walls = names.filter((name) => name.startsWith("force."));
  if (walls.length === 0) return [];
  const curves = walls.map((series) => ({
    series,
    column: ["bottom", "top"].includes(series.slice(6)) ? "total_y" : "total_x",
    label: series.slice(6),
    factor: 1,
  }));
  return [{ name: "walls", title: "Force on the walls", unit: hello?.dimensions === 3 ? "N" : "N/m", curves, bands: [] }];
}

/** Values of a curve; null where there is none. */
export type Column = (number | null)[];

export function countValues(column: Column): number {
  return column.reduce<number>((count, value) => count + Number(value !== null), 0);
}

/** Data of a chart: times, then one column per curve, thinned to about `maxPoints` rows. */
export function chartData(spec: ChartSpec, store: SeriesStore, maxPoints: number): [Float64Array, ...Column[]] {
  const times = (store.all.get("budget") ?? store.all.get(spec.curves[0]?.series ?? ""))?.column("time") ?? new Float64Array();
  const every = Math.max(1, Math.ceil(times.length / maxPoints));
  const shown = times.filter((_, k) => k % every === 0);
  return [shown, ...spec.curves.map((curve) => valuesAt(shown, store.all.get(curve.series), curve))];
}

/** Values of a curve at given times; null before a body or probe is added and after it is removed. A thinned series is
 * interpolated linearly. */
function valuesAt(times: Float64Array, series: Series | undefined, curve: Curve): Column {
  const [ownTimes, values] = [series?.column("time"), series?.column(curve.column)];
  const found: Column = new Array<number | null>(times.length).fill(null);
  if (!series || !ownTimes || !values) return found;
  let j = 0;
  times.forEach((time, k) => {
    while (j < ownTimes.length && (ownTimes[j] as number) < time) j++;
    let value = ownTimes[j] === time ? (values[j] as number) : Number.NaN;
    if (series.every > 1 && j > 0 && j < ownTimes.length && ownTimes[j] !== time) {
      const share = (time - (ownTimes[j - 1] as number)) / ((ownTimes[j] as number) - (ownTimes[j - 1] as number));
      value = (1 - share) * (values[j - 1] as number) + share * (values[j] as number);
    }
    if (Number.isFinite(value)) found[k] = curve.factor * value;
  });
  return found;
}
