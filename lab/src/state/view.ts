/** Display options: quantity, colours, camera. */

import { computed, signal } from "@preact/signals";
import { type Camera, fill, fit } from "../canvas/camera";
import type { QuantityName } from "../colors/quantities";
import type { Scale } from "../colors/scale";
import type { Frame } from "../stream/frame";

export type ScaleMode = "frame" | "run" | "fixed";
/** A field, in 3D on the middle plane; particles; or isosurfaces of a 3D run without particles. */
export type Style = "field" | "particles" | "surfaces";

export const quantity = signal<QuantityName>("vorticity");
export const style = signal<Style>("field");
export const scaleMode = signal<ScaleMode>("run");
export const fixedScale = signal<Scale>({ low: 0, high: 1 });
export const tracers = signal(true);
export const streaklines = signal(false);
/** True if the velocity field is needed. */
export const showsVelocity = computed(() => tracers.value || streaklines.value);
export const contourLines = signal(false);
/** Frames may take 2 % of the computing time of a run, not only 0.6 %. */
export const smooth = signal(false);
export const colorSteps = signal(false);
/** The permanent id of the particle that is followed. */
export const followedParticle = signal<bigint | null>(null);
/** The current colour scale, for the legend. */
export const shownScale = signal<Scale>({ low: 0, high: 1 });

export const size = signal<readonly [number, number]>([800, 400]);
/** Corners of the domain [m]. */
export const extent = signal<{ lower: readonly [number, number]; upper: readonly [number, number] }>({
  lower: [0, 0],
  upper: [1, 1],
});
/** The camera set by the user; null shows the whole domain. */
export const userCamera = signal<Camera | null>(null);
/** True if the domain fills the canvas and may be cropped. */
export const fillsCanvas = signal(false);
const MARGIN = 58; // CSS pixels
/** Space below the domain for its ruler, legend and buttons; on a narrow canvas the legend is above the buttons (stage.css). */
const BOTTOM_MARGIN = { wide: 98, narrow: 128 };
const NARROW_WIDTH = 620;

export const camera = computed<Camera>(() => {
  const [width, height] = size.value;
  const own = userCamera.value;
  if (own) return { ...own, width, height };
  if (fillsCanvas.value) return fill(extent.value, width, height);
  return fit(extent.value, width, height, {
    side: Math.min(MARGIN, width / 8),
    top: Math.min(MARGIN, height / 8),
    bottom: Math.min(width < NARROW_WIDTH ? BOTTOM_MARGIN.narrow : BOTTOM_MARGIN.wide, height / 3),
  });
});

/** Incremented to redraw the canvas although nothing moves. */
export const redraw = signal(0);

/** The frame that was drawn last. */
export const shownFrame = signal<Frame | null>(null);
/** The next frame, and the drawn position between the two, 0 to 1. */
export const nextFrame = signal<Frame | null>(null);
export const blend = signal(0);
/** The time of the picture drawn last [s]; it lags behind the requested time while frames are loading. */
export const shownTime = signal(0);
/** True if a video is being recorded; playback then waits for frames. */
export const isRecording = signal(false);
/** The position under the pointer [m]. */
export const pointer = signal<readonly [number, number] | null>(null);
/** The reason why nothing can be drawn; empty if drawing works. */
export const renderError = signal("");
