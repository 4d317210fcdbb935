/** Where notes on the drawing stand: near what they are about, and on nothing else. */

import type { Point } from "./camera";

/** CSS pixels. */
export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const AWAY = [18, 44, 80, 130, 190]; // CSS pixels between a note and its place
const DIRECTIONS: readonly Point[] = [[1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [-1, 1], [1, -1], [-1, -1]];
const DEAR = 1e-3; // what a pixel of distance costs, in pixels covered

function shared(a: Rect, b: Rect): number {
  const across = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const up = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return across > 0 && up > 0 ? across * up : 0;
}

/** The place of a note about `at` that covers least of `taken`, and is within `bounds`. */
export function besides(at: Point, [width, height]: Point, taken: readonly Rect[], bounds: Rect): Rect {
  let best: Rect = { x: at[0], y: at[1], width, height };
  let least = Infinity;
  for (const away of AWAY) {
    for (const [u, v] of DIRECTIONS) {
      const x = at[0] + u * away + ((u - 1) / 2) * width;
      const y = at[1] + v * away + ((v - 1) / 2) * height;
      const rect = { x, y, width, height };
      const outside = width * height - shared(rect, bounds);
      const cost = 4 * outside + taken.reduce((sum, each) => sum + shared(rect, each), 0) + DEAR * away;
      if (cost < least) [best, least] = [rect, cost];
    }
  }
  return best;
}

/** The bounds of points on the screen. */
export function boundsOf(points: readonly Point[]): Rect {
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}

/** The point of a rectangle that is nearest to another. */
export function nearest({ x, y, width, height }: Rect, at: Point): Point {
  return [Math.min(x + width, Math.max(x, at[0])), Math.min(y + height, Math.max(y, at[1]))];
}
