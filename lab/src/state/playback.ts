/** Which moment is shown: the newest, or one of the past. */

import { computed, signal } from "@preact/signals";
import type { Frame } from "../stream/frame";
import type { Moment } from "../stream/moments";
import { isLive, kind, moments, momentsVersion, newest, span } from "./run";

/** Follows the newest frame. */
export const following = signal(true);
export const playing = signal(false);
/** Seconds of the flow for a second on the clock. */
export const speed = signal(1);
/** The time that is shown [s]. */
export const time = signal(0);
/** Starts anew at the end. */
export const looping = computed(() => kind.value === "example");

export const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4] as const;

/** What is between two frames: `blend` 0 shows `before`, 1 `after`. */
export interface Shown {
  readonly before: Frame;
  readonly after: Frame;
  readonly blend: number;
}

/** Gets frames that are not in memory; set by the run that is watched. */
let fetcher: ((moment: Moment, small: boolean) => void) | null = null;
export function setFetcher(next: typeof fetcher): void {
  fetcher = next;
}

/** Asks for a small picture of a moment. */
export function wantThumbnail(moment: Moment): void {
  fetcher?.(moment, true);
}

const AHEAD = 6;

/** The live frame before the newest, and when the newest came: between them the page blends. */
let live: { before: Frame | null; after: Frame | null; came: number; gap: number } = {
  before: null,
  after: null,
  came: 0,
  gap: 100,
};

export function restart(): void {
  live = { before: null, after: null, came: 0, gap: 100 };
  following.value = true;
  playing.value = false;
  time.value = 0;
}

/** Moves the clock by `seconds` that have passed on the wall. */
export function advance(seconds: number): void {
  if (following.value || !playing.value) return;
  const [first, last] = span.value;
  let next = time.value + seconds * speed.value;
  if (looping.value) {
    const period = last - first + pitch();
    if (period > 0) next = first + ((((next - first) % period) + period) % period);
  } else if (next >= last) {
    next = last;
    if (isLive.value) following.value = true;
    else playing.value = false;
  }
  time.value = next;
}

/** Mean distance of frames [s]. */
function pitch(): number {
  const [first, last] = span.value;
  return moments.all.length > 1 ? (last - first) / (moments.all.length - 1) : 0;
}

/** What to draw at `now` (ms). Null as long as nothing has come. */
export function shown(now: number, usable: (frame: Frame) => boolean): Shown | null {
  if (following.value && kind.value === "run") return newestShown(now, usable);
  const at = moments.at(time.value);
  if (at < 0) return null;
  const first = moments.all[at] as Moment;
  const second = moments.all[at + 1] ?? (looping.value ? moments.all[0] : undefined);
  request(at, usable);
  const before = held(first, usable);
  const after = second ? held(second, usable) : null;
  if (before && after) {
    const gap = at + 1 < moments.all.length ? (second as Moment).time - first.time : pitch();
    const blend = gap > 0 ? Math.min(1, Math.max(0, (time.value - first.time) / gap)) : 0;
    return playing.value || looping.value ? { before, after, blend } : { before, after: before, blend: 0 };
  }
  const nearest = before ?? near(at, usable);
  return nearest && { before: nearest, after: nearest, blend: 0 };
}

function held(moment: Moment, usable: (frame: Frame) => boolean): Frame | null {
  const frame = moments.frame(moment);
  return frame && usable(frame) ? frame : null;
}

function request(at: number, usable: (frame: Frame) => boolean): void {
  const count = playing.value ? AHEAD : 1;
  for (let k = at; k <= Math.min(moments.all.length - 1, at + count); k++) {
    const moment = moments.all[k] as Moment;
    if (!held(moment, usable)) fetcher?.(moment, false);
  }
}

function near(at: number, usable: (frame: Frame) => boolean): Frame | null {
  for (let d = 1; d < 30; d++) {
    for (const k of [at - d, at + d]) {
      const moment = moments.all[k];
      const frame = moment && held(moment, usable);
      if (frame) return frame;
    }
  }
  return null;
}

function newestShown(now: number, usable: (frame: Frame) => boolean): Shown | null {
  const latest = newest.value;
  if (!latest || !usable(latest)) return null;
  if (latest !== live.after) {
    const gap = now - live.came;
    const before = live.after && usable(live.after) ? live.after : latest;
    live = { before, after: latest, came: now, gap: Math.min(600, Math.max(30, 0.7 * live.gap + 0.3 * gap)) };
  }
  const before = live.before && usable(live.before) ? live.before : latest;
  const blend = Math.min(1, (now - live.came) / live.gap);
  time.value = before.time + blend * (latest.time - before.time);
  return { before, after: latest, blend };
}

/** Shows another time, and no more the newest. */
export function scrub(to: number): void {
  const [first, last] = span.value;
  following.value = false;
  time.value = Math.min(last, Math.max(first, to));
}

/** One frame on or back. */
export function stepFrame(by: number): void {
  playing.value = false;
  const at = moments.at(time.value + 1e-12);
  const next = moments.all[Math.min(moments.all.length - 1, Math.max(0, at + by))];
  if (next) scrub(next.time);
}

export function togglePlay(): void {
  if (playing.value) {
    playing.value = false;
    return;
  }
  const [first, last] = span.value;
  if (following.value && isLive.value) {
    following.value = false; // holds the picture while the run goes on
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
  momentsVersion.value;
  if (following.value && newest.value) return newest.value.step;
  const at = moments.at(time.value);
  return at >= 0 ? (moments.all[at] as Moment).step : 0;
});
