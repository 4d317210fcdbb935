/** The velocity of a frame, for whatever goes with the flow. */

import { type Raster, valueAt } from "../stream/frame";

export interface Velocity {
  readonly x: Raster;
  readonly y: Raster;
}

/** The velocity at a place [m/s]; false outside and where there is no fluid. */
export function readVelocity(velocity: Velocity, x: number, y: number, into: { x: number; y: number }): boolean {
  into.x = valueAt(velocity.x, x, y);
  into.y = valueAt(velocity.y, x, y);
  return !Number.isNaN(into.x) && !Number.isNaN(into.y);
}
