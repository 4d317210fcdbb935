/** Picking a particle, and finding it again in later frames. */

import type { Frame, Particles } from "../stream/frame";
import { followed, shownFrame, style, camera } from "../state/view";
import type { Point } from "./camera";

const REACH = 10; // CSS pixels

/** Follows the particle nearest to a place [m], or none. */
export function pick(at: Point): void {
  const particles = shownFrame.value?.particles;
  if (style.value !== "particles" || !particles || particles.ids.length === 0) return;
  const k = nearest(particles, at, REACH / camera.value.scale);
  followed.value = k < 0 ? null : (particles.ids[k] as bigint);
}

/** The number of the particle nearest to a place [m], -1 if none is within reach [m]. */
export function nearest(particles: Particles, [x, y]: Point, reach: number): number {
  const [first, second] = particles.position;
  if (!first || !second) return -1;
  const u = (x - first.offset) / first.scale;
  const v = (y - second.offset) / second.scale;
  let best = -1;
  let least = reach * reach;
  for (let k = 0; k < particles.count; k++) {
    const dx = ((first.data[k] as number) - u) * first.scale;
    const dy = ((second.data[k] as number) - v) * second.scale;
    const away = dx * dx + dy * dy;
    if (away < least) {
      least = away;
      best = k;
    }
  }
  return best;
}

export interface Found {
  readonly at: Point;
  readonly value: number;
  readonly unit: string;
  readonly quantity: string;
}

/** Where the particle of a name is. */
export function locate(frame: Frame | null, id: bigint): Found | null {
  const particles = frame?.particles;
  if (!particles) return null;
  const k = particles.ids.indexOf(id); // they come in no particular order
  if (k < 0) return null;
  const [x, y] = particles.position.map((axis) => axis.offset + axis.scale * (axis.data[k] as number));
  const { values } = particles;
  return {
    at: [x ?? 0, y ?? 0],
    value: values.offset + values.scale * (values.data[k] as number),
    unit: particles.unit,
    quantity: particles.quantity,
  };
}
