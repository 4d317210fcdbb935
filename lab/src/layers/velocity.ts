/** The velocity between two frames, for whatever goes with the flow. */

import { type Frame, type Raster, valueAt } from "../stream/frame";

export interface Velocity {
  readonly x: Raster;
  readonly y: Raster;
  /** Of the frame that the picture goes over into, and how far it is on its way there, 0 to 1. */
  readonly next: { readonly x: Raster; readonly y: Raster } | null;
  readonly blend: number;
}

/** Null if the first frame has none. */
export function velocityOf({ before, after, blend }: { readonly before: Frame; readonly after: Frame; readonly blend: number }): Velocity | null {
  const first = rasters(before);
  return first && { ...first, next: rasters(after), blend };
}

function rasters(frame: Frame): { x: Raster; y: Raster } | null {
  const [x, y] = [frame.rasters.get("velocity_x"), frame.rasters.get("velocity_y")];
  return x && y ? { x, y } : null;
}

/** The velocity at a place [m/s]; false outside and where there is no fluid. Where one frame has fluid only, it is that of
 * this frame. */
export function readVelocity(velocity: Velocity, x: number, y: number, into: { x: number; y: number }): boolean {
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
