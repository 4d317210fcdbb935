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

/** What a picture needs. */
export interface Wanted {
  /** Whether a frame has it. */
  usable(frame: Frame): boolean;
  /** Whether a frame that is usable lacks something that is shown with it, as the velocity for tracers. */
  lacks?(frame: Frame): boolean;
  /** Whether it is stored of a moment, and can be fetched. */
  stored(moment: Moment): boolean;
  /** Whether it has a place between two frames while the picture is held, too. */
  readonly goesOn: boolean;
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
export function shown(now: number, wanted: Wanted): Shown | null {
  if (following.value && kind.value === "run") return newestShown(now, wanted.usable);
  const { all } = moments;
  const at = lastShowable(wanted);
  if (at < 0) return null;
  const first = all[at] as Moment;
  const next = seek(at + 1, 1, wanted);
  const second = all[next] ?? (looping.value ? all[0] : undefined);
  request(at, wanted);
  const before = held(first, wanted.usable);
  const after = second ? held(second, wanted.usable) : null;
  if (before && after) {
    const gap = next >= 0 ? (second as Moment).time - first.time : pitch();
    const blend = gap > 0 ? Math.min(1, Math.max(0, (time.value - first.time) / gap)) : 0;
    return playing.value || looping.value || wanted.goesOn ? { before, after, blend } : { before, after: before, blend: 0 };
  }
  const nearest = before ?? near(moments.at(time.value), wanted.usable);
  return nearest && { before: nearest, after: nearest, blend: 0 };
}

/** The step of the frame that is due at the time that is shown; null if there is none. */
export function dueStep(wanted: Wanted): number | null {
  return moments.all[lastShowable(wanted)]?.step ?? null;
}

/** The number of the last moment until now of which there is, or will be, what is wanted; else of the first after it. */
function lastShowable(wanted: Wanted): number {
  const at = moments.at(time.value);
  const found = seek(at, -1, wanted);
  return found >= 0 ? found : seek(at, 1, wanted);
}

/** The first moment from number `k` on, or back, that can be shown; -1 if there is none. */
function seek(k: number, by: 1 | -1, wanted: Wanted): number {
  const { all } = moments;
  for (; k >= 0 && k < all.length; k += by) {
    const moment = all[k] as Moment;
    if (wanted.stored(moment) || held(moment, wanted.usable)) return k;
  }
  return -1;
}

function held(moment: Moment, usable: (frame: Frame) => boolean): Frame | null {
  const frame = moments.frame(moment);
  return frame && usable(frame) ? frame : null;
}

function request(at: number, wanted: Wanted): void {
  let left = playing.value ? AHEAD : 1;
  for (let k = at; k >= 0 && left >= 0; k = seek(k + 1, 1, wanted), left--) {
    const moment = moments.all[k] as Moment;
    const frame = held(moment, wanted.usable);
    if (!frame || wanted.lacks?.(frame)) fetcher?.(moment, false);
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
