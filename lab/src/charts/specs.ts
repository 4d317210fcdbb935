/** Which curves make which chart: from the series that a run sends. */

import type { Hello } from "../stream/stream_pb";
import type { Series, SeriesStore } from "../stream/series";

export interface Curve {
  readonly series: string;
  readonly column: string;
  readonly label: string;
  /** What values are multiplied with to be shown. */
  readonly factor: number;
}

export interface Band {
  readonly low: number;
  readonly high: number;
  /** Of the curve: "max". */
  readonly what: string;
  readonly source: string;
}

export interface ChartSpec {
  readonly name: string;
  readonly title: string;
  readonly unit: string;
  readonly curves: readonly Curve[];
  readonly bands: readonly Band[];
}

const ENERGIES = ["kinetic_energy", "potential_energy", "elastic_energy", "thermal_energy"] as const;
const SIDES = new Set(["left", "right", "bottom", "top", "front", "back"]);

/** All charts of a run: forces of each body first, then observers, energy and sides. */
export function chartSpecs(store: SeriesStore, hello: Hello | null): ChartSpec[] {
  const names = [...store.all.keys()];
  const found = [...forces(store, names, hello), ...observers(store, names, hello), ...energy(store)];
  if (!names.some((name) => isBody(name))) found.push(...sides(names, hello));
  return found;
}

function isBody(name: string): boolean {
  return name.startsWith("force.") && !SIDES.has(name.slice(6));
}

/** The time of the first row of a series [s]: bodies are listed as they came. */
function begin(store: SeriesStore, name: string): number {
  return store.all.get(name)?.column("time")?.[0] ?? Infinity;
}

function forces(store: SeriesStore, names: readonly string[], hello: Hello | null): ChartSpec[] {
  const bodies = names.filter(isBody);
  if (bodies.length === 0) return [];
  bodies.sort((a, b) => begin(store, a) - begin(store, b));
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

/** Bands of "cylinder.drag_coefficient.max": of the curve itself only; other results have no axis here. */
function bandsOf(hello: Hello | null, quantity: string): Band[] {
  return (hello?.expectations ?? [])
    .filter((expect) => expect.holds && !expect.curve && new RegExp(`^\\w+\\.${quantity}(\\.\\w+)?$`).test(expect.quantity))
    .map(({ low, high, source, quantity: name }) => ({ low, high, what: name.split(".").pop() ?? "", source }));
}

const SHOWN: Record<string, string> = {
  pressure: "Pa",
  pressure_drop: "Pa",
  position: "m",
  height: "m",
  recirculation_length: "m",
};

function observers(store: SeriesStore, names: readonly string[], hello: Hello | null): ChartSpec[] {
  const found: ChartSpec[] = [];
  for (const name of names) {
    if (name === "budget" || name.startsWith("force.") || name.startsWith("opening.")) continue;
    const series = store.all.get(name);
    const column = series?.names.find((each) => each in SHOWN);
    if (!series || !column) continue;
    found.push({
      name,
      title: `${name.replaceAll("_", " ")}: ${column.replaceAll("_", " ")}`,
      unit: series.unit(column),
      curves: [{ series: name, column, label: name, factor: 1 }],
      bands: bandsOf(hello, column),
    });
  }
  return found;
}

function energy(store: SeriesStore): ChartSpec[] {
  const budget = store.all.get("budget");
  if (!budget) return [];
  const columns = ENERGIES.filter((column) => budget.names.includes(column));
  const curves = columns.map((column) => ({ series: "budget", column, label: column.replace("_energy", ""), factor: 1 }));
  return [{ name: "energy", title: "Energy", unit: budget.unit("kinetic_energy"), curves, bands: [] }];
}

function sides(names: readonly string[], hello: Hello | null): ChartSpec[] {
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

/** Values, null where there are none: so the chart draws nothing there. */
export type Column = (number | null)[];

/** Columns for the chart: times, then a column for each curve; thinned to what the eye can tell apart. */
export function chartData(spec: ChartSpec, store: SeriesStore, most: number): [Float64Array, ...Column[]] {
  const times = (store.all.get("budget") ?? store.all.get(spec.curves[0]?.series ?? ""))?.column("time") ?? new Float64Array();
  const every = Math.max(1, Math.ceil(times.length / most));
  const shown = times.filter((_, k) => k % every === 0);
  return [shown, ...spec.curves.map((curve) => valuesAt(shown, store.all.get(curve.series), curve))];
}

/** Values of a curve at these times; its series has none at some of them: bodies and probes come and go. If it keeps only
 * some of its rows, others than the first series does, those between lie on straight lines. */
function valuesAt(times: Float64Array, series: Series | undefined, curve: Curve): Column {
  const [own, values] = [series?.column("time"), series?.column(curve.column)];
  const found: Column = new Array<number | null>(times.length).fill(null);
  if (!series || !own || !values) return found;
  let j = 0;
  times.forEach((time, k) => {
    while (j < own.length && (own[j] as number) < time) j++;
    let value = own[j] === time ? (values[j] as number) : Number.NaN;
    if (series.every > 1 && j > 0 && j < own.length && own[j] !== time) {
      const share = (time - (own[j - 1] as number)) / ((own[j] as number) - (own[j - 1] as number));
      value = (1 - share) * (values[j - 1] as number) + share * (values[j] as number);
    }
    if (Number.isFinite(value)) found[k] = curve.factor * value;
  });
  return found;
}
