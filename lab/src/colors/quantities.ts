/** Quantities that can be displayed: labels, units and colour maps, as in pictures of the command line. */

import type { MapName } from "./maps";

/** A name of `QUANTITIES`, or of a quantity that the solver of a run has told. */
export type QuantityName = string;

export interface Quantity {
  readonly name: QuantityName;
  readonly label: string;
  readonly unit: string;
  readonly kind: "sequential" | "diverging";
  readonly map: MapName;
  readonly startsAtZero: boolean;
}

/** Quantities of a flow. Worlds in the editor offer these. */
const FLOW: readonly Quantity[] = [
  { name: "speed", label: "Speed", unit: "m/s", kind: "sequential", map: "viridis", startsAtZero: true },
  { name: "vorticity", label: "Vorticity", unit: "1/s", kind: "diverging", map: "RdBu_r", startsAtZero: false },
  { name: "pressure", label: "Pressure", unit: "Pa", kind: "sequential", map: "cividis", startsAtZero: false },
  { name: "density", label: "Density", unit: "ρ/ρ₀ − 1", kind: "diverging", map: "PuOr_r", startsAtZero: false },
];

/** Level of refinement of the cells of an adaptive mesh, a whole number. */
export const LEVEL = "level";

const known = new Map<QuantityName, Quantity>(FLOW.map((quantity) => [quantity.name, quantity]));

export const QUANTITY_NAMES: readonly QuantityName[] = FLOW.map(({ name }) => name);

export function isQuantity(name: string): boolean {
  return known.has(name);
}

/** A quantity by its name; one that no run has told yet is displayed like a length. */
export function quantityOf(name: QuantityName): Quantity {
  return known.get(name) ?? { name, label: name, unit: "", kind: "sequential", map: "viridis", startsAtZero: false };
}

/** Remembers the quantities of a run, other than components of the velocity. Returns the names that can be displayed. */
export function learnQuantities(told: readonly { name: string; unit: string; diverging: boolean; label: string; startsAtZero: boolean }[]): QuantityName[] {
  const shown = told.filter(({ name }) => known.has(name) || !name.startsWith("velocity_"));
  for (const { name, unit, diverging, label, startsAtZero } of shown) {
    const flow = FLOW.find((quantity) => quantity.name === name);
    if (flow) {
      // the density of a gas is shown as it is, that of a liquid as its change
      const isSame = diverging === (flow.kind === "diverging");
      known.set(name, isSame ? flow : { ...flow, unit, kind: diverging ? "diverging" : "sequential", map: diverging ? "RdBu_r" : "viridis" });
      continue;
    }
    if (known.has(name)) continue;
    const text = label || name;
    known.set(name, {
      name,
      label: text.charAt(0).toUpperCase() + text.slice(1),
      unit,
      kind: diverging ? "diverging" : "sequential",
      map: diverging ? "RdBu_r" : "viridis",
      startsAtZero,
    });
  }
  const flow = QUANTITY_NAMES.filter((name) => shown.some((each) => each.name === name));
  return [...flow, ...shown.map(({ name }) => name).filter((name) => !flow.includes(name))];
}
