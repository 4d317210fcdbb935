/** Playback: the displayed time and the frames for it. */

import { computed, signal } from "@preact/signals";
import type { Frame } from "../stream/frame";
import type { FrameEntry } from "../stream/frames";
import { frames, framesVersion, hello, isLive, kind, latestFrame, progress, timeRange, timeUnit } from "./run";

/** True if the latest frame is followed. */
export const following = signal(true);
export const playing = signal(false);
/** Simulated seconds per second of real time. */
export const speed = signal(1);
/** The displayed time [s]. */
export const time = signal(0);
/** True if playback restarts at the end. */
export const isLooping = computed(() => kind.value === "example");

export const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4] as const;

/** Two frames and the position between them: `blend` 0 shows `before`, 1 shows `after`. */
export interface FramePair {
  readonly before: Frame;
  readonly after: Frame;
  readonly blend: number;
}

/** The data that a picture needs. */
export interface FrameNeeds {
  /** True if a frame has the data. */
  isUsable(frame: Frame): boolean;
  /** True if a usable frame lacks optional data, such as the velocity for tracers. */
  isIncomplete?(frame: Frame): boolean;
  /** True if the data of an entry is stored and can be fetched. */
  isStored(entry: FrameEntry): boolean;
  /** True if pictures are interpolated between frames also while playback is paused. */
  readonly interpolatesWhenPaused: boolean;
}

/** Fetches frames that are not in memory; set by the displayed run. */
let fetchFrame: ((entry: FrameEntry, small: boolean) => void) | null = null;
export function setFrameFetcher(next: typeof fetchFrame): void {
  fetchFrame = next;
}

/** Requests the thumbnail of a frame. */
export function requestThumbnail(entry: FrameEntry): void {
  fetchFrame?.(entry, true);
}

const PREFETCHED_FRAMES = 6;

/** The two latest live frames and when the newer one arrived; the picture is blended between them. */
let live: { before: Frame | null; after: Frame | null; arrivedAt: number; interval: number } = {
  before: null,
  after: null,
  arrivedAt: 0,
  interval: 100,
};

/** A time of the run with its unit: milliseconds, or a thousandth of a run that is shorter than a second. Cycles are whole
 * numbers. */
export function timeText(value: number): string {
  if (timeUnit.value !== "s") return `${Math.round(value)} ${timeUnit.value}`;
  const end = progress.value?.end || hello.value?.end || timeRange.value[1] || 1;
  const digits = 3 + Math.max(0, Math.ceil(-Math.log10(end)));
  return digits > 7 ? `${value.toExponential(3)} s` : `${value.toFixed(digits)} s`;
}

export function resetPlayback(): void {
  live = { before: null, after: null, arrivedAt: 0, interval: 100 };
  following.value = true;
  playing.value = false;
  time.value = 0;
}

/** Advances the displayed time by `seconds` of real time. */
export function advance(seconds: number): void {
  if (following.value || !playing.value) return;
  const [first, last] = timeRange.value;
  let next = time.value + seconds * speed.value;
  if (isLooping.value) {
    const period = last - first + meanFrameInterval();
    if (period > 0) next = first + ((((next - first) % period) + period) % period);
  } else if (next >= last) {
    next = last;
    if (isLive.value) following.value = true;
    else playing.value = false;
  }
  time.value = next;
}

/** Mean interval between frames [s]. */
function meanFrameInterval(): number {
  const [first, last] = timeRange.value;
  return frames.all.length > 1 ? (last - first) / (frames.all.length - 1) : 0;
}

/** The frames to draw at `now` [ms]; null before any frame has arrived. */
export function framePair(now: number, needs: FrameNeeds): FramePair | null {
  if (following.value && kind.value === "run") return latestFramePair(now, needs.isUsable);
  const { all } = frames;
  const at = lastShowableIndex(needs);
  if (at < 0) return null;
  const first = all[at] as FrameEntry;
  const next = seek(at + 1, 1, needs);
  const second = all[next] ?? (isLooping.value ? all[0] : undefined);
  requestFrames(at, needs);
  const before = cachedFrame(first, needs.isUsable);
  const after = second ? cachedFrame(second, needs.isUsable) : null;
  if (before && after) {
    const gap = next >= 0 ? (second as FrameEntry).time - first.time : meanFrameInterval();
    const blend = gap > 0 ? Math.min(1, Math.max(0, (time.value - first.time) / gap)) : 0;
    return playing.value || isLooping.value || needs.interpolatesWhenPaused ? { before, after, blend } : { before, after: before, blend: 0 };
  }
  const nearest = before ?? nearestCachedFrame(frames.indexAt(time.value), needs.isUsable);
  return nearest && { before: nearest, after: nearest, blend: 0 };
}

/** The step of the frame for the displayed time; null if there is none. */
export function dueStep(needs: FrameNeeds): number | null {
  return frames.all[lastShowableIndex(needs)]?.step ?? null;
}

/** Index of the last entry up to the displayed time that is in memory or can be fetched; else of the first one after it. */
function lastShowableIndex(needs: FrameNeeds): number {
  const at = frames.indexAt(time.value);
  const found = seek(at, -1, needs);
  return found >= 0 ? found : seek(at, 1, needs);
}

/** Index of the first entry from `k` on, forwards or backwards, that can be shown; -1 if there is none. */
function seek(k: number, by: 1 | -1, needs: FrameNeeds): number {
  const { all } = frames;
  for (; k >= 0 && k < all.length; k += by) {
    const entry = all[k] as FrameEntry;
    if (needs.isStored(entry) || cachedFrame(entry, needs.isUsable)) return k;
  }
  return -1;
}

function cachedFrame(entry: FrameEntry, usable: (frame: Frame) => boolean): Frame | null {
  const frame = frames.cachedFrame(entry);
  return frame && usable(frame) ? frame : null;
}

function requestFrames(at: number, needs: FrameNeeds): void {
  let left = playing.value ? PREFETCHED_FRAMES : 1;
  for (let k = at; k >= 0 && left >= 0; k = seek(k + 1, 1, needs), left--) {
    const entry = frames.all[k] as FrameEntry;
    const frame = cachedFrame(entry, needs.isUsable);
    if (!frame || needs.isIncomplete?.(frame)) fetchFrame?.(entry, false);
  }
}

function nearestCachedFrame(at: number, usable: (frame: Frame) => boolean): Frame | null {
  for (let d = 1; d < 30; d++) {
    for (const k of [at - d, at + d]) {
      const entry = frames.all[k];
      const frame = entry && cachedFrame(entry, usable);
      if (frame) return frame;
    }
  }
  return null;
}

function latestFramePair(now: number, usable: (frame: Frame) => boolean): FramePair | null {
  const latest = latestFrame.value;
  if (!latest || !usable(latest)) return null;
  if (latest !== live.after) {
    const gap = now - live.arrivedAt;
    const before = live.after && usable(live.after) ? live.after : latest;
    live = { before, after: latest, arrivedAt: now, interval: Math.min(600, Math.max(30, 0.7 * live.interval + 0.3 * gap)) };
  }
  const before = live.before && usable(live.before) ? live.before : latest;
  const blend = Math.min(1, (now - live.arrivedAt) / live.interval);
  time.value = before.time + blend * (latest.time - before.time);
  return { before, after: latest, blend };
}

/** Shows a given time and stops following the latest frame. */
export function scrub(to: number): void {
  const [first, last] = timeRange.value;
  following.value = false;
  time.value = Math.min(last, Math.max(first, to));
}

/** Steps by a number of frames, forwards or backwards. */
export function stepFrame(by: number): void {
  playing.value = false;
  const at = frames.indexAt(time.value + 1e-12);
  const next = frames.all[Math.min(frames.all.length - 1, Math.max(0, at + by))];
  if (next) scrub(next.time);
}

export function togglePlay(): void {
  if (playing.value) {
    playing.value = false;
    return;
  }
  const [first, last] = timeRange.value;
  if (following.value && isLive.value) {
    following.value = false; // pauses playback; the run continues
    return;
  }
  following.value = false;
  if (time.value >= last - 1e-12) time.value = first;
  playing.value = true;
}

export function goLive(): void {
  playing.value = false;
  following.value = true;
}

export const shownStep = computed(() => {
  framesVersion.value;
  if (following.value && latestFrame.value) return latestFrame.value.step;
  const at = frames.indexAt(time.value);
  return at >= 0 ? (frames.all[at] as FrameEntry).step : 0;
});
