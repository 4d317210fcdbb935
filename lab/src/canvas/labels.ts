/** Placement of labels on the drawing: near their point, without covering other objects. */

import type { Point } from "./camera";

/** A rectangle [CSS pixels]. */
export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const DISTANCES = [18, 44, 80, 130, 190]; // CSS pixels between a label and its point
const DIRECTIONS: readonly Point[] = [[1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [-1, 1], [1, -1], [-1, -1]];
const DISTANCE_COST = 1e-3; // cost of a pixel of distance, in covered pixels

function overlapArea(a: Rectangle, b: Rectangle): number {
  const across = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const up = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return across > 0 && up > 0 ? across * up : 0;
}

/** The rectangle of a label for point `at` that covers least of `occupied` and lies inside `bounds`. */
export function placeLabel(at: Point, [width, height]: Point, occupied: readonly Rectangle[], bounds: Rectangle): Rectangle {
  let best: Rectangle = { x: at[0], y: at[1], width, height };
  let least = Infinity;
  for (const distance of DISTANCES) {
    for (const [u, v] of DIRECTIONS) {
      const x = at[0] + u * distance + ((u - 1) / 2) * width;
      const y = at[1] + v * distance + ((v - 1) / 2) * height;
      const rect = { x, y, width, height };
      const outside = width * height - overlapArea(rect, bounds);
      const cost = 4 * outside + occupied.reduce((sum, each) => sum + overlapArea(rect, each), 0) + DISTANCE_COST * distance;
      if (cost < least) [best, least] = [rect, cost];
    }
  }
  return best;
}

/** The bounding box of points. */
export function boundsOf(points: readonly Point[]): Rectangle {
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}

/** The point of a rectangle nearest to another point. */
export function nearestPoint({ x, y, width, height }: Rectangle, at: Point): Point {
  return [Math.min(x + width, Math.max(x, at[0])), Math.min(y + height, Math.max(y, at[1]))];
}
