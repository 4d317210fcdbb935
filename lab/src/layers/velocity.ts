/** The velocity field between two frames, for tracers and streaklines. */

import { type Frame, type Raster, valueAt } from "../stream/frame";

export interface VelocityField {
  readonly x: Raster;
  readonly y: Raster;
  /** Velocity of the next frame; `blend` is the position between the two frames, 0 to 1. */
  readonly next: { readonly x: Raster; readonly y: Raster } | null;
  readonly blend: number;
}

/** The velocity field of a frame pair; null if the first frame has no velocity. */
export function velocityField({ before, after, blend }: { readonly before: Frame; readonly after: Frame; readonly blend: number }): VelocityField | null {
  const first = rasters(before);
  return first && { ...first, next: rasters(after), blend };
}

function rasters(frame: Frame): { x: Raster; y: Raster } | null {
  const [x, y] = [frame.rasters.get("velocity_x"), frame.rasters.get("velocity_y")];
  return x && y ? { x, y } : null;
}

/** Writes the velocity at (x, y) [m/s] to `into`; returns false outside the domain and where there is no fluid. If only one
 * of the two frames has fluid there, its velocity counts. */
export function sampleVelocity(velocity: VelocityField, x: number, y: number, into: { x: number; y: number }): boolean {
  const { next, blend } = velocity;
  into.x = valueAt(velocity.x, x, y);
  into.y = valueAt(velocity.y, x, y);
  if (next && blend > 0) {
    const [nextX, nextY] = [valueAt(next.x, x, y), valueAt(next.y, x, y)];
    if (Number.isNaN(into.x)) [into.x, into.y] = [nextX, nextY];
    else if (!Number.isNaN(nextX)) {
      into.x += blend * (nextX - into.x);
      into.y += blend * (nextY - into.y);
    }
  }
  return !Number.isNaN(into.x) && !Number.isNaN(into.y);
}
