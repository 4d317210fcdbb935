/** The moments of a run that can be shown: frames in memory, and stored ones that can be fetched. */

import type { Frame } from "./frame";

export interface Moment {
  /** s */
  readonly time: number;
  readonly step: number;
  /** Number of the stored frame, or -1 if there is none. */
  readonly stored: number;
  /** Number of the stored particles, or -1. */
  readonly particles: number;
}

const MEMORY = 192e6; // bytes of frames kept

/** Sorted by time. Fetched frames and live ones share a memory of fixed size; the least recently used go. */
export class Moments {
  private list: Moment[] = [];
  private readonly frames = new Map<number, Frame>(); // by step, least recently used first
  private bytes = 0;

  get all(): readonly Moment[] {
    return this.list;
  }

  /** Whether particles are in memory. */
  get holdParticles(): boolean {
    return [...this.frames.values()].some(({ particles }) => particles !== null);
  }

  clear(): void {
    this.list = [];
    this.frames.clear();
    this.bytes = 0;
  }

  /** The number of the last moment not after `time`; 0 if all are after it, -1 if there are none. */
  at(time: number): number {
    let low = 0;
    let high = this.list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.list[middle] as Moment).time <= time) low = middle + 1;
      else high = middle;
    }
    return this.list.length === 0 ? -1 : Math.max(0, low - 1);
  }

  /** Stored frames and particles by number: what can be fetched. */
  know(stored: readonly Moment[]): void {
    const known = new Map(this.list.map((moment) => [moment.step, moment]));
    for (const moment of stored) {
      const old = known.get(moment.step);
      known.set(moment.step, old ? { ...moment, stored: Math.max(old.stored, moment.stored), particles: Math.max(old.particles, moment.particles) } : moment);
    }
    this.list = [...known.values()].sort((a, b) => a.step - b.step);
  }

  /** The moment with stored particles that is nearest to a time [s]. */
  withParticles(time: number): Moment | null {
    let best: Moment | null = null;
    for (const moment of this.list) {
      if (moment.particles >= 0 && (!best || Math.abs(moment.time - time) < Math.abs(best.time - time))) best = moment;
    }
    return best;
  }

  /** Keeps a frame; one of the same step gains what the other has. */
  keep(frame: Frame): Frame {
    const old = this.frames.get(frame.step);
    const whole: Frame = old
      ? {
          ...old,
          rasters: new Map([...old.rasters, ...frame.rasters]),
          particles: frame.particles ?? old.particles,
          bodies: frame.bodies ?? old.bodies,
        }
      : frame;
    if (old) this.bytes -= size(old);
    this.frames.delete(frame.step);
    this.frames.set(frame.step, whole);
    this.bytes += size(whole);
    this.insert(frame);
    this.forget();
    return whole;
  }

  frame(moment: Moment): Frame | null {
    const frame = this.frames.get(moment.step);
    if (!frame) return null;
    this.frames.delete(moment.step);
    this.frames.set(moment.step, frame);
    return frame;
  }

  /** Forgets rasters of the last moment that came live, if it is stored: as stored they are finer. */
  fetchLastAnew(): void {
    const last = this.list.at(-1);
    const frame = last && this.frames.get(last.step);
    if (!frame || frame.stored || last.stored < 0) return;
    const rest = { ...frame, rasters: new Map() };
    this.bytes += size(rest) - size(frame);
    this.frames.set(last.step, rest);
  }

  private insert(frame: Frame): void {
    const moment = { time: frame.time, step: frame.step, stored: frame.stored ? frame.index : -1, particles: -1 };
    let k = this.list.length;
    while (k > 0 && (this.list[k - 1] as Moment).step > frame.step) k--;
    const before = this.list[k - 1];
    if (before?.step === frame.step) {
      if (before.stored < 0 && moment.stored >= 0) this.list[k - 1] = { ...before, stored: moment.stored };
    } else this.list.splice(k, 0, moment);
  }

  private forget(): void {
    for (const [step, frame] of this.frames) {
      if (this.bytes <= MEMORY) return;
      this.frames.delete(step);
      this.bytes -= size(frame);
      const k = this.list.findIndex((moment) => moment.step === step);
      const moment = this.list[k];
      if (moment && moment.stored < 0 && moment.particles < 0) this.list.splice(k, 1);
    }
  }
}

function size(frame: Frame): number {
  let bytes = 200;
  for (const raster of frame.rasters.values()) bytes += raster.values.data.byteLength;
  const { particles } = frame;
  if (particles) {
    bytes += particles.values.data.byteLength + particles.ids.byteLength;
    for (const axis of [...particles.position, ...particles.velocity]) bytes += axis.data.byteLength;
  }
  return bytes;
}
