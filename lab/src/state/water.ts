/** Display of water in 3D: opaque, translucent or hidden. */

import { effect, signal } from "@preact/signals";

const KEY = "eddyline water";
const MODES = ["opaque", "translucent", "hidden"] as const;
export type WaterMode = (typeof MODES)[number];

export const waterMode = signal<WaterMode>(MODES.find((mode) => mode === localStorage.getItem(KEY)) ?? "opaque");

effect(() => localStorage.setItem(KEY, waterMode.value));
