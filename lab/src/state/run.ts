/** The run that is watched: live, finished, or the stored one of the first screen. */

import { computed, signal } from "@preact/signals";
import { QUANTITIES, QUANTITY_NAMES, type QuantityName } from "../colors/quantities";
import { Histogram, type Scale } from "../colors/scale";
import { type Frame, sample } from "../stream/frame";
import { Moments } from "../stream/moments";
import { SeriesStore } from "../stream/series";
import type { Body, Ended, Hello, Mark, Progress } from "../stream/stream_pb";
import type { LinkState } from "../stream/connection";

export type Kind = "none" | "example" | "run";

/** What is on the canvas: the drawing only, the stored example, or a run of the server. */
export const kind = signal<Kind>("none");
export const runId = signal<string | null>(null);
export const hello = signal<Hello | null>(null);
export const progress = signal<Progress | null>(null);
export const ended = signal<Ended | null>(null);
export const marks = signal<readonly Mark[]>([]);
export const bodies = signal<readonly Body[]>([]);
export const link = signal<LinkState>("closed");
/** Grows when moments come or go. */
export const momentsVersion = signal(0);
/** Whether particles of the past can be fetched; null as long as that is not known. */
export const keepsParticles = signal<boolean | null>(null);
/** The newest frame of a live run. */
export const newest = signal<Frame | null>(null);

export const moments = new Moments();
export const series = new SeriesStore();
const histograms = new Map<string, Histogram>();
let counted = new Set<string>();

/** Running, paused or being painted: there is a simulation behind it. */
export const isLive = computed(() => kind.value === "run" && ended.value === null && hello.value?.over === false);
export const isPaused = computed(() => isLive.value && (progress.value?.paused ?? false));

/** A flow in three dimensions: it is seen as particles and surfaces. */
export const isSolid = computed(() => kind.value === "run" && hello.value?.dimensions === 3);

/** Whether a flow in three dimensions has left nothing of its water that could be shown. */
export const isDry = computed(() => {
  momentsVersion.value;
  return isSolid.value && !isLive.value && keepsParticles.value === false && !moments.holdParticles;
});

/** Since when published values hold no more, and why; null if they do. */
export const steered = computed<Mark | null>(() => marks.value.find((mark) => mark.changesFlow) ?? null);

/** What particles carry: vorticity is known of the field only. */
export const OF_PARTICLES: readonly QuantityName[] = QUANTITY_NAMES.filter((name) => name !== "vorticity");

export const available = computed<readonly QuantityName[]>(() => {
  const names = hello.value?.quantities.map((quantity) => quantity.name) ?? [];
  return QUANTITY_NAMES.filter((name) => names.includes(name));
});

/** First and last time that can be shown [s]. */
export const span = computed<readonly [number, number]>(() => {
  momentsVersion.value;
  const all = moments.all;
  return [all[0]?.time ?? 0, all[all.length - 1]?.time ?? 0];
});

/** Forgets everything of the run before. */
export function clear(next: Kind): void {
  kind.value = next;
  runId.value = null;
  hello.value = null;
  progress.value = null;
  ended.value = null;
  marks.value = [];
  bodies.value = [];
  newest.value = null;
  keepsParticles.value = null;
  moments.clear();
  series.clear();
  histograms.clear();
  counted = new Set();
  momentsVersion.value++;
}

/** Keeps a frame, and counts its values for the scale of the run. */
export function keep(frame: Frame): Frame {
  for (const raster of frame.rasters.values()) count(raster.quantity, frame.step, () => sample(raster.values, 3));
  const { particles } = frame;
  if (particles && !frame.rasters.has(particles.quantity)) {
    count(particles.quantity, frame.step, () => sample(particles.values, 3));
  }
  const whole = moments.keep(frame);
  momentsVersion.value++;
  return whole;
}

function count(quantity: string, step: number, values: () => Float32Array): void {
  const key = `${quantity} ${step}`;
  if (counted.has(key)) return;
  counted.add(key);
  let histogram = histograms.get(quantity);
  if (!histogram) {
    histogram = new Histogram();
    histograms.set(quantity, histogram);
  }
  histogram.add(values());
}

/** The scale that holds for the whole run so far. */
export function runScale(quantity: QuantityName): Scale {
  return histograms.get(quantity)?.scale(QUANTITIES[quantity]) ?? { low: 0, high: 1 };
}

export function frameScale(frame: Frame, quantity: QuantityName): Scale {
  const histogram = new Histogram();
  const raster = frame.rasters.get(quantity);
  if (raster) histogram.add(sample(raster.values, 2));
  else if (frame.particles) histogram.add(sample(frame.particles.values, 2));
  return histogram.scale(QUANTITIES[quantity]);
}
