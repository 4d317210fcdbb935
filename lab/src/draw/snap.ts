/** Snapping to a grid of round numbers and to guide lines through existing objects. */

import type { Point } from "../canvas/camera";

export interface Guide {
  readonly axis: 0 | 1;
  /** Coordinate along the axis [m]. */
  readonly at: number;
}

export interface SnapResult {
  readonly at: Point;
  readonly guides: readonly Guide[];
}

const SNAP_DISTANCE = 6; // CSS pixels

/** The smallest step of 1, 2 or 5 x 10^n metres that is at least `minPixels` wide. */
export function gridStep(pixelsPerMetre: number, minPixels = 7): number {
  const rough = minPixels / pixelsPerMetre;
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5, 10].find((s) => s * power >= rough * (1 - 1e-9)) ?? 10);
}

/** Snaps a point to the nearest line, or else to the grid. isOff: no snapping. */
export function snap(at: Point, pixelsPerMetre: number, lines: readonly Guide[], isOff: boolean): SnapResult {
  if (isOff) return { at, guides: [] };
  const step = gridStep(pixelsPerMetre);
  const guides: Guide[] = [];
  const place = ([0, 1] as const).map((axis) => {
    let best: Guide | null = null;
    for (const line of lines) {
      if (line.axis !== axis) continue;
      const distance = Math.abs(line.at - at[axis]);
      if (distance * pixelsPerMetre <= SNAP_DISTANCE && (!best || distance < Math.abs(best.at - at[axis]))) best = line;
    }
    if (best) {
      guides.push(best);
      return best.at;
    }
    return Math.round(at[axis] / step) * step;
  });
  return { at: [place[0] as number, place[1] as number], guides };
}
