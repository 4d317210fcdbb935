/** Snapping: to a grid of round numbers, and to lines through what is there already. */

import type { Point } from "../canvas/camera";

export interface Guide {
  readonly axis: 0 | 1;
  /** m */
  readonly at: number;
}

export interface Snapped {
  readonly at: Point;
  readonly guides: readonly Guide[];
}

const REACH = 6; // CSS pixels within which a line attracts

/** The finest of 1, 2, 5 x 10^n metres whose lines are at least `least` pixels apart. */
export function gridStep(pixelsPerMetre: number, least = 7): number {
  const rough = least / pixelsPerMetre;
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5, 10].find((s) => s * power >= rough * (1 - 1e-9)) ?? 10);
}

/** `lines`: through centres and edges of other things. */
export function snap(at: Point, pixelsPerMetre: number, lines: readonly Guide[], free: boolean): Snapped {
  if (free) return { at, guides: [] };
  const step = gridStep(pixelsPerMetre);
  const guides: Guide[] = [];
  const place = ([0, 1] as const).map((axis) => {
    let best: Guide | null = null;
    for (const line of lines) {
      if (line.axis !== axis) continue;
      const away = Math.abs(line.at - at[axis]);
      if (away * pixelsPerMetre <= REACH && (!best || away < Math.abs(best.at - at[axis]))) best = line;
    }
    if (best) {
      guides.push(best);
      return best.at;
    }
    return Math.round(at[axis] / step) * step;
  });
  return { at: [place[0] as number, place[1] as number], guides };
}
