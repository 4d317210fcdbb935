/** Quantities that can be displayed: labels, units and colour maps, as in pictures of the command line. */

import type { MapName } from "./maps";

export type QuantityName = "speed" | "vorticity" | "pressure" | "density";

export interface Quantity {
  readonly name: QuantityName;
  readonly label: string;
  readonly unit: string;
  readonly kind: "sequential" | "diverging";
  readonly map: MapName;
  readonly startsAtZero: boolean;
}

export const QUANTITIES: Record<QuantityName, Quantity> = {
  speed: { name: "speed", label: "Speed", unit: "m/s", kind: "sequential", map: "viridis", startsAtZero: true },
  vorticity: { name: "vorticity", label: "Vorticity", unit: "1/s", kind: "diverging", map: "RdBu_r", startsAtZero: false },
  pressure: { name: "pressure", label: "Pressure", unit: "Pa", kind: "sequential", map: "cividis", startsAtZero: false },
  density: { name: "density", label: "Density", unit: "ρ/ρ₀ − 1", kind: "diverging", map: "PuOr_r", startsAtZero: false },
};

export const QUANTITY_NAMES = Object.keys(QUANTITIES) as QuantityName[];

export function isQuantity(name: string): name is QuantityName {
  return name in QUANTITIES;
}
