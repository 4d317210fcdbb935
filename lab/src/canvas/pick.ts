/** Picks a particle and finds it again in other pictures. */

import { type Motion, matchParticles, positionOf, indicesOf, valueOf } from "../layers/particles/motion";
import { shownMotion } from "../state/motion";
import { camera, followedParticle, style } from "../state/view";
import type { Point } from "./camera";

const PICK_RADIUS = 10; // CSS pixels

/** Follows the particle nearest to a point [m], or none. */
export function pickParticle(at: Point): void {
  const motion = shownMotion();
  if (style.value !== "particles" || !motion || motion.before.ids.length === 0) return;
  const k = nearestParticle(motion, at, PICK_RADIUS / camera.value.scale);
  followedParticle.value = k < 0 ? null : idOf(motion, k);
}

function idOf(motion: Motion, k: number): bigint | null {
  const [row, other] = indicesOf(motion, k);
  return (row >= 0 ? motion.before.ids[row] : motion.after.ids[other]) ?? null;
}

/** Index of the drawn particle nearest to a point [m]; -1 if none is within `radius` [m]. */
export function nearestParticle(motion: Motion, [x, y]: Point, radius: number): number {
  const { indexInSecond, onlyInSecond } = matchParticles(motion.before, motion.after);
  let best = -1;
  let minDistance = radius;
  for (let k = 0; k < indexInSecond.length + onlyInSecond.length; k++) {
    const position = positionOf(motion, k);
    const distance = position ? Math.hypot((position[0] ?? 0) - x, (position[1] ?? 0) - y) : Infinity;
    if (distance < minDistance) {
      minDistance = distance;
      best = k;
    }
  }
  return best;
}

export interface LocatedParticle {
  readonly at: Point;
  readonly value: number;
  readonly unit: string;
  readonly quantity: string;
}

/** The drawn position and value of the particle with an id. */
export function locateParticle(motion: Motion | null, id: bigint): LocatedParticle | null {
  if (!motion) return null;
  const { before, after } = motion;
  const row = before.ids.indexOf(id); // ids are not sorted
  const k = row >= 0 ? row : before.count + matchParticles(before, after).onlyInSecond.findIndex((other) => after.ids[other] === id);
  const position = row >= 0 || k >= before.count ? positionOf(motion, k) : null;
  if (!position) return null;
  return { at: [position[0] ?? 0, position[1] ?? 0], value: valueOf(motion, k), unit: before.unit, quantity: before.quantity };
}
