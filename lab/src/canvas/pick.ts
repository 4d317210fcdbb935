/** Picking a particle, and finding it again in later pictures. */

import { type Motion, pairsOf, placeOf, rowsOf, valueOf } from "../layers/particles/motion";
import { shownMotion } from "../state/motion";
import { camera, followed, style } from "../state/view";
import type { Point } from "./camera";

const REACH = 10; // CSS pixels

/** Follows the particle nearest to a place [m], or none. */
export function pick(at: Point): void {
  const motion = shownMotion();
  if (style.value !== "particles" || !motion || motion.before.ids.length === 0) return;
  const k = nearest(motion, at, REACH / camera.value.scale);
  followed.value = k < 0 ? null : nameOf(motion, k);
}

function nameOf(motion: Motion, k: number): bigint | null {
  const [row, other] = rowsOf(motion, k);
  return (row >= 0 ? motion.before.ids[row] : motion.after.ids[other]) ?? null;
}

/** The number of the particle that is drawn nearest to a place [m], -1 if none is within reach [m]. */
export function nearest(motion: Motion, [x, y]: Point, reach: number): number {
  const { partner, newcomers } = pairsOf(motion.before, motion.after);
  let best = -1;
  let least = reach;
  for (let k = 0; k < partner.length + newcomers.length; k++) {
    const place = placeOf(motion, k);
    const away = place ? Math.hypot((place[0] ?? 0) - x, (place[1] ?? 0) - y) : Infinity;
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

/** Where the particle of a name is drawn. */
export function locate(motion: Motion | null, id: bigint): Found | null {
  if (!motion) return null;
  const { before, after } = motion;
  const row = before.ids.indexOf(id); // they come in no particular order
  const k = row >= 0 ? row : before.count + pairsOf(before, after).newcomers.findIndex((other) => after.ids[other] === id);
  const place = row >= 0 || k >= before.count ? placeOf(motion, k) : null;
  if (!place) return null;
  return { at: [place[0] ?? 0, place[1] ?? 0], value: valueOf(motion, k), unit: before.unit, quantity: before.quantity };
}
