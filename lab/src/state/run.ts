/** The displayed run: live, finished, or the stored run on the home screen. */

import { computed, signal } from "@preact/signals";
import { learnQuantities, LEVEL, QUANTITY_NAMES, type QuantityName, quantityOf } from "../colors/quantities";
import { Histogram, type Scale } from "../colors/scale";
import { type Frame, type Surface, decode } from "../stream/frame";
import type { SurfaceMesh } from "../stream/isosurface/decode";
import { FrameStore } from "../stream/frames";
import { SeriesStore } from "../stream/series";
import type { Body, Ended, Hello, Mark, Progress } from "../stream/stream_pb";
import type { ConnectionState } from "../stream/connection";
import { style } from "./view";

export type Kind = "none" | "example" | "run";

/** The content of the canvas: the drawing only, the stored example, or a run of the server. */
export const kind = signal<Kind>("none");
export const runId = signal<string | null>(null);
export const hello = signal<Hello | null>(null);
export const progress = signal<Progress | null>(null);
export const ended = signal<Ended | null>(null);
export const marks = signal<readonly Mark[]>([]);
export const bodies = signal<readonly Body[]>([]);
export const connectionState = signal<ConnectionState>("closed");
/** The reason why the connection was closed permanently; empty if it was not, or if the page closed it. */
export const connectionReason = signal("");
/** Incremented when frames are added or removed. */
export const framesVersion = signal(0);
/** True if the run has stored particles, which can be fetched; null while unknown. */
export const hasStoredParticles = signal<boolean | null>(null);
/** True if the run has stored isosurfaces, which can be fetched. */
export const hasStoredSurfaces = signal(false);
/** The latest frame of a live run. */
export const latestFrame = signal<Frame | null>(null);

export const frames = new FrameStore();
export const series = new SeriesStore();
const histograms = new Map<string, Histogram>();
let countedFrames = new Set<string>();

/** True if a simulation is connected: running, paused or writing pictures. */
export const isLive = computed(() => kind.value === "run" && ended.value === null && hello.value?.over === false);
export const isPaused = computed(() => isLive.value && (progress.value?.paused ?? false));

/** True if the solver has particles. Cells are shown as a field, in 3D on the plane in the middle. */
export const hasPoints = computed(() => {
  const sets = hello.value?.sets ?? [];
  return sets.length === 0 || sets.some((set) => set.points);
});

/** True if the run has a velocity, which tracers and streaklines follow. */
export const hasVelocity = computed(() => hello.value?.quantities.some((quantity) => quantity.name === "velocity_x") ?? true);

/** Unit of times of the run: s, or cycles. */
export const timeUnit = computed(() => hello.value?.timeUnit || "s");

/** True if cells have levels of refinement, whose edges are drawn in 2D. */
export const hasLevels = computed(() => hello.value?.dimensions === 2 && hello.value.quantities.some(({ name }) => name === LEVEL));

/** Members of the state of the solver, in the plural: particles, cells. */
export const members = computed(() => hello.value?.sets[0]?.members ?? "particles");

/** True if the run is drawn in 3D, as particles or surfaces. Cells can be drawn on the middle plane instead. */
export const is3d = computed(() => kind.value === "run" && hello.value?.dimensions === 3 && (hasPoints.value || style.value === "surfaces"));

/** True if a 3D run has neither particles nor surfaces that could be shown. */
export const lacksFluid = computed(() => {
  framesVersion.value;
  return is3d.value && !isLive.value && hasStoredParticles.value === false && !hasStoredSurfaces.value && !frames.hasFluid;
});

/** The first steering command after which published values no longer apply; null if they do. */
export const firstSteering = computed<Mark | null>(() => marks.value.find((mark) => mark.changesFlow) ?? null);

/** Quantities that particles carry; vorticity exists only as a field. */
export const PARTICLE_QUANTITIES: readonly QuantityName[] = QUANTITY_NAMES.filter((name) => name !== "vorticity");

export const availableQuantities = computed<readonly QuantityName[]>(() => {
  return learnQuantities(hello.value?.quantities ?? []);
});

/** First and last time that can be displayed [s]. */
export const timeRange = computed<readonly [number, number]>(() => {
  framesVersion.value;
  const all = frames.all;
  return [all[0]?.time ?? 0, all[all.length - 1]?.time ?? 0];
});

/** Removes all data of the previous run. */
export function clear(next: Kind): void {
  kind.value = next;
  runId.value = null;
  hello.value = null;
  progress.value = null;
  ended.value = null;
  marks.value = [];
  bodies.value = [];
  latestFrame.value = null;
  hasStoredParticles.value = null;
  hasStoredSurfaces.value = false;
  frames.clear();
  series.clear();
  histograms.clear();
  countedFrames = new Set();
  framesVersion.value++;
}

/** Adds a frame and counts its values for the colour scale of the run. */
export function addFrame(frame: Frame): Frame {
  for (const raster of frame.rasters.values()) count(raster.quantity, frame.step, () => decode(raster.values, 3));
  const { particles } = frame;
  if (particles && !frame.rasters.has(particles.quantity)) {
    count(particles.quantity, frame.step, () => decode(particles.values, 3));
  }
  const merged = frames.add(frame);
  framesVersion.value++;
  return merged;
}

/** Counts the colour values of a decoded surface for the colour scale of the run. */
export function countSurface({ color }: Surface, mesh: SurfaceMesh): void {
  if (!mesh.colors) return;
  histogramFor(color).add(colorValues(mesh));
}

/** Every third value. */
function colorValues({ colors, lowestColor, highestColor }: SurfaceMesh): Float32Array {
  const step = (highestColor - lowestColor) / 255;
  return Float32Array.from({ length: Math.ceil((colors?.length ?? 0) / 3) }, (_, k) => lowestColor + step * (colors?.[3 * k] ?? 0));
}

function count(quantity: string, step: number, values: () => Float32Array): void {
  const key = `${quantity} ${step}`;
  if (countedFrames.has(key)) return;
  countedFrames.add(key);
  histogramFor(quantity).add(values());
}

function histogramFor(quantity: string): Histogram {
  let histogram = histograms.get(quantity);
  if (!histogram) {
    histogram = new Histogram();
    histograms.set(quantity, histogram);
  }
  return histogram;
}

/** The colour scale of the whole run so far. */
export function runScale(quantity: QuantityName): Scale {
  return histograms.get(quantity)?.scale(quantityOf(quantity)) ?? { low: 0, high: 1 };
}

export function frameScale(frame: Frame, quantity: QuantityName): Scale {
  const histogram = new Histogram();
  const raster = frame.rasters.get(quantity);
  if (raster) histogram.add(decode(raster.values, 2));
  else if (frame.particles) histogram.add(decode(frame.particles.values, 2));
  return histogram.scale(quantityOf(quantity));
}
