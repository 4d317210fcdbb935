/** Display of water in 3D: its surface, opaque or translucent particles, or hidden. */

import { computed, effect, signal } from "@preact/signals";
import { FLUID } from "../stream/isosurface/decoder";
import { hasPoints, hasStoredSurfaces, hello, is3d, isLive } from "./run";

const KEY = "eddyline water";
const MODES = ["surface", "opaque", "translucent", "hidden"] as const;
export type WaterMode = (typeof MODES)[number];

export { FLUID };

export const waterMode = signal<WaterMode>(MODES.find((mode) => mode === localStorage.getItem(KEY)) ?? "surface");

/** The quantity that is positive in vortices. */
export const VORTICES = "q";

/** True if the run can send the surface of its water. Water that fills the domain has none. */
export const offersWaterSurface = computed(() => hello.value?.freeSurface === true && hello.value.surfaces.some(({ name }) => name === FLUID));

/** True if vortices are shown in place of water that fills the domain. */
export const showsVortices = computed(
  () =>
    waterMode.value === "surface" &&
    is3d.value &&
    hasPoints.value &&
    (isLive.value || hasStoredSurfaces.value === true) &&
    hello.value?.freeSurface === false &&
    hello.value.surfaces.some(({ name }) => name === VORTICES),
);

/** The mode that is shown: particles if the run has no surface of its water, and vortices alone if these show the flow. */
export const shownWaterMode = computed<WaterMode>(() => {
  if (waterMode.value !== "surface" || offersWaterSurface.value) return waterMode.value;
  return showsVortices.value ? "hidden" : "opaque";
});

effect(() => localStorage.setItem(KEY, waterMode.value));
