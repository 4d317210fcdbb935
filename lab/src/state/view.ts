/** How the flow is shown: what, in which colours, from where. */

import { computed, signal } from "@preact/signals";
import { type Camera, cover, fit } from "../canvas/camera";
import type { QuantityName } from "../colors/quantities";
import type { Scale } from "../colors/scale";
import type { Frame } from "../stream/frame";

export type ScaleMode = "frame" | "run" | "fixed";
export type Style = "field" | "particles";

export const quantity = signal<QuantityName>("vorticity");
export const style = signal<Style>("field");
export const scaleMode = signal<ScaleMode>("run");
export const fixedScale = signal<Scale>({ low: 0, high: 1 });
export const tracers = signal(true);
export const streaks = signal(false);
/** Whether what is shown needs the velocity. */
export const showsVelocity = computed(() => tracers.value || streaks.value);
export const lines = signal(false);
export const bands = signal(false);
/** The particle that is followed, by its name for life. */
export const followed = signal<bigint | null>(null);
/** The scale in use, for the legend. */
export const shownScale = signal<Scale>({ low: 0, high: 1 });

export const size = signal<readonly [number, number]>([800, 400]);
/** Corners of what is shown [m]. */
export const extent = signal<{ lower: readonly [number, number]; upper: readonly [number, number] }>({
  lower: [0, 0],
  upper: [1, 1],
});
/** Null: the whole domain. */
export const moved = signal<Camera | null>(null);
/** Fills the canvas instead of showing the whole domain. */
export const filling = signal(false);
const MARGIN = 58; // CSS pixels
/** Below the domain stand its numbers, then the legend beside buttons; on a narrow canvas above them, see stage.css. */
const BELOW = { wide: 98, narrow: 128 };
const NARROW = 620;

export const camera = computed<Camera>(() => {
  const [width, height] = size.value;
  const own = moved.value;
  if (own) return { ...own, width, height };
  if (filling.value) return cover(extent.value, width, height);
  return fit(extent.value, width, height, {
    side: Math.min(MARGIN, width / 8),
    top: Math.min(MARGIN, height / 8),
    bottom: Math.min(width < NARROW ? BELOW.narrow : BELOW.wide, height / 3),
  });
});

/** Grows when the canvas must be drawn again though nothing moves. */
export const redraw = signal(0);

/** The frame that was painted last. */
export const shownFrame = signal<Frame | null>(null);
/** The one that it goes over into, and how far that picture was on its way there, 0 to 1. */
export const nextFrame = signal<Frame | null>(null);
export const blend = signal(0);
/** The time of the picture that was painted last [s]: not yet the one that is wanted while its frames come. */
export const shownTime = signal(0);
/** A film is being recorded: the clock waits for frames. */
export const filming = signal(false);
/** The place under the pointer [m]. */
export const pointer = signal<readonly [number, number] | null>(null);
/** Why nothing can be painted; empty if it can. */
export const failure = signal("");
