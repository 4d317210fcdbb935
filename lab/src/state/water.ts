/** Display of water in 3D: its surface, opaque or translucent particles, or hidden. */

import { computed, effect, signal } from "@preact/signals";
import { hello } from "./run";

const KEY = "eddyline water";
const MODES = ["surface", "opaque", "translucent", "hidden"] as const;
export type WaterMode = (typeof MODES)[number];

/** The quantity whose isosurface is the surface of the fluid. */
export const FLUID = "fluid";

export const waterMode = signal<WaterMode>(MODES.find((mode) => mode === localStorage.getItem(KEY)) ?? "surface");

/** True if the run can send the surface of its water. */
export const offersWaterSurface = computed(() => hello.value?.surfaces.some(({ name }) => name === FLUID) ?? false);

/** The mode that is shown: particles if the run has no surface of its water. */
export const shownWaterMode = computed<WaterMode>(() => (waterMode.value === "surface" && !offersWaterSurface.value ? "opaque" : waterMode.value));

effect(() => localStorage.setItem(KEY, waterMode.value));
