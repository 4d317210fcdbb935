/** The frames of a run: frames in memory, and frames stored by the run, which can be fetched. */

import type { Frame, Surface } from "./frame";

export interface FrameEntry {
  /** Simulated time [s]. */
  readonly time: number;
  readonly step: number;
  /** Index of the stored frame, or -1. */
  readonly frameIndex: number;
  /** Index of the stored particles, or -1. */
  readonly particlesIndex: number;
  /** Index of the stored isosurfaces, or -1. */
  readonly surfacesIndex: number;
}

const MEMORY_LIMIT = 192e6; // bytes

/** Frames sorted by time. Fetched and live frames share a cache of fixed size; the least recently used are evicted first. */
export class FrameStore {
  private entries: FrameEntry[] = [];
  private readonly cached = new Map<number, Frame>(); // by step, least recently used first
  private bytes = 0;

  get all(): readonly FrameEntry[] {
    return this.entries;
  }

  /** True if any frame in memory has particles or surfaces. */
  get hasFluid(): boolean {
    return [...this.cached.values()].some(({ particles, surfaces }) => particles !== null || surfaces.length > 0);
  }

  clear(): void {
    this.entries = [];
    this.cached.clear();
    this.bytes = 0;
  }

  /** Index of the last frame at or before `time`; 0 if all are later, -1 if there are none. */
  indexAt(time: number): number {
    let low = 0;
    let high = this.entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.entries[middle] as FrameEntry).time <= time) low = middle + 1;
      else high = middle;
    }
    return this.entries.length === 0 ? -1 : Math.max(0, low - 1);
  }

  /** Adds stored frames and particles, which can be fetched. */
  addStored(stored: readonly FrameEntry[]): void {
    const byStep = new Map(this.entries.map((entry) => [entry.step, entry]));
    for (const entry of stored) {
      const old = byStep.get(entry.step);
      byStep.set(entry.step, old ? merged(old, entry) : entry);
    }
    this.entries = [...byStep.values()].sort((a, b) => a.step - b.step);
  }

  /** The entry with stored particles nearest to a time [s]. */
  nearestWithParticles(time: number): FrameEntry | null {
    return this.nearest(time, ({ particlesIndex }) => particlesIndex >= 0);
  }

  /** The entry with a stored frame nearest to a time [s]; live frames cannot be fetched again. */
  nearestStored(time: number): FrameEntry | null {
    return this.nearest(time, ({ frameIndex }) => frameIndex >= 0);
  }

  private nearest(time: number, has: (entry: FrameEntry) => boolean): FrameEntry | null {
    let best: FrameEntry | null = null;
    for (const entry of this.entries) {
      if (has(entry) && (!best || Math.abs(entry.time - time) < Math.abs(best.time - time))) best = entry;
    }
    return best;
  }

  /** Adds a frame, merges it with the one of the same step, and returns the merged frame. */
  add(frame: Frame): Frame {
    const old = this.cached.get(frame.step);
    const merged: Frame = old
      ? {
          ...old,
          rasters: new Map([...old.rasters, ...frame.rasters]),
          particles: frame.particles ?? old.particles,
          surfaces: [...old.surfaces.filter((surface) => !frame.surfaces.some((other) => isSameRequest(surface, other))), ...frame.surfaces],
          bodies: frame.bodies ?? old.bodies,
        }
      : frame;
    if (old) this.bytes -= sizeOf(old);
    this.cached.delete(frame.step);
    this.cached.set(frame.step, merged);
    this.bytes += sizeOf(merged);
    this.insert(frame);
    this.evict();
    return merged;
  }

  cachedFrame(entry: FrameEntry): Frame | null {
    const frame = this.cached.get(entry.step);
    if (!frame) return null;
    this.cached.delete(entry.step);
    this.cached.set(entry.step, frame);
    return frame;
  }

  /** Drops the live rasters of the last frame if that frame is stored: stored rasters are finer. */
  dropLiveRastersOfLast(): void {
    const last = this.entries.at(-1);
    const frame = last && this.cached.get(last.step);
    if (!frame || frame.stored || last.frameIndex < 0) return;
    const rest = { ...frame, rasters: new Map() };
    this.bytes += sizeOf(rest) - sizeOf(frame);
    this.cached.set(last.step, rest);
  }

  private insert(frame: Frame): void {
    const entry = { time: frame.time, step: frame.step, frameIndex: frame.stored ? frame.index : -1, particlesIndex: -1, surfacesIndex: -1 };
    let k = this.entries.length;
    while (k > 0 && (this.entries[k - 1] as FrameEntry).step > frame.step) k--;
    const before = this.entries[k - 1];
    if (before?.step === frame.step) {
      if (before.frameIndex < 0 && entry.frameIndex >= 0) this.entries[k - 1] = { ...before, frameIndex: entry.frameIndex };
    } else this.entries.splice(k, 0, entry);
  }

  private evict(): void {
    for (const [step, frame] of this.cached) {
      if (this.bytes <= MEMORY_LIMIT) return;
      this.cached.delete(step);
      this.bytes -= sizeOf(frame);
      const k = this.entries.findIndex((entry) => entry.step === step);
      const entry = this.entries[k];
      if (entry && Math.max(entry.frameIndex, entry.particlesIndex, entry.surfacesIndex) < 0) this.entries.splice(k, 1);
    }
  }
}

/** An entry with everything that is stored of its step. */
function merged(old: FrameEntry, entry: FrameEntry): FrameEntry {
  return {
    ...entry,
    frameIndex: Math.max(old.frameIndex, entry.frameIndex),
    particlesIndex: Math.max(old.particlesIndex, entry.particlesIndex),
    surfacesIndex: Math.max(old.surfacesIndex, entry.surfacesIndex),
  };
}

/** True if two surfaces answer the same request. */
export function isSameRequest(a: Omit<Surface, "data" | "histogram">, b: Omit<Surface, "data" | "histogram">): boolean {
  return a.quantity === b.quantity && a.level === b.level && a.color === b.color && a.stride === b.stride;
}

function sizeOf(frame: Frame): number {
  let bytes = 200;
  for (const surface of frame.surfaces) bytes += surface.data.byteLength;
  for (const raster of frame.rasters.values()) bytes += raster.values.data.byteLength;
  const { particles } = frame;
  if (particles) {
    bytes += particles.values.data.byteLength + particles.ids.byteLength;
    for (const axis of [...particles.position, ...particles.velocity]) bytes += axis.data.byteLength;
  }
  return bytes;
}
