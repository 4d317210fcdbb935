/** A camera that circles a box, for three dimensions. */

import { signal } from "@preact/signals";

export interface Orbit {
  /** Angles [rad]: around the vertical y, and above the ground. */
  readonly around: number;
  readonly above: number;
  /** Distance in diagonals of the box. */
  readonly distance: number;
}

export const START: Orbit = { around: 0.55, above: 0.35, distance: 1.35 };
export const orbit = signal<Orbit>(START);

const STEEPEST = 1.5;

export function turn(by: Orbit, dx: number, dy: number): Orbit {
  return {
    ...by,
    around: by.around - 0.008 * dx,
    above: Math.min(STEEPEST, Math.max(-STEEPEST, by.above + 0.008 * dy)),
  };
}

export function approach(by: Orbit, factor: number): Orbit {
  return { ...by, distance: Math.min(6, Math.max(0.3, by.distance / factor)) };
}

type Vector = readonly [number, number, number];

const OPENING = 0.7; // vertical angle of view [rad]
const WIDE = 1.4; // width over height of a canvas below which the angle grows, so that the box is not cut off
const LIGHT: Vector = [-0.4, 0.8, 0.45]; // right, up, towards the eye

export interface View {
  /** Column-major 4 x 4: world [m] to clip coordinates. */
  readonly matrix: Float32Array;
  /** Pixels of a metre at distance 1 m. */
  readonly scale: number;
  /** Unit vector towards the light, which stands above the eye, to its left. */
  readonly light: Vector;
}

/** Looks at the middle of a box from outside. width, height: of the canvas [device pixels]. */
export function viewOf({ around, above, distance }: Orbit, lower: readonly number[], upper: readonly number[], width: number, height: number): View {
  const corner = (list: readonly number[]): Vector => [list[0] ?? 0, list[1] ?? 0, list[2] ?? 0];
  const [low, high] = [corner(lower), corner(upper)];
  const target: Vector = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2];
  const diagonal = Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]) || 1;
  const back: Vector = [Math.cos(above) * Math.sin(around), Math.sin(above), Math.cos(above) * Math.cos(around)];
  const away = distance * diagonal;
  const eye: Vector = [target[0] + away * back[0], target[1] + away * back[1], target[2] + away * back[2]];
  const right: Vector = [Math.cos(around), 0, -Math.sin(around)];
  const up: Vector = [
    back[1] * right[2] - back[2] * right[1],
    back[2] * right[0] - back[0] * right[2],
    back[0] * right[1] - back[1] * right[0],
  ];
  const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const f = Math.min(1, width / height / WIDE) / Math.tan(OPENING / 2);
  const g = (f * height) / width;
  const [near, far] = [Math.max(0.01 * diagonal, away - diagonal), away + diagonal];
  const [a, b] = [(far + near) / (near - far), (2 * far * near) / (near - far)];
  const depth = -dot(back, eye);
  const light = (axis: 0 | 1 | 2): number => (LIGHT[0] * right[axis] + LIGHT[1] * up[axis] + LIGHT[2] * back[axis]) / Math.hypot(...LIGHT);
  return {
    matrix: new Float32Array([
      g * right[0], f * up[0], a * back[0], -back[0],
      g * right[1], f * up[1], a * back[1], -back[1],
      g * right[2], f * up[2], a * back[2], -back[2],
      -g * dot(right, eye), -f * dot(up, eye), a * depth + b, -depth,
    ]),
    scale: (f * height) / 2,
    light: [light(0), light(1), light(2)],
  };
}

/** The twelve edges of a box, in pixels of a canvas of this size. */
export function edges(view: View, lower: readonly number[], upper: readonly number[], width: number, height: number): [number, number][][] {
  const project = (k: number): [number, number] => {
    const p = [0, 1, 2].map((axis) => ((k >> axis) & 1 ? upper[axis] : lower[axis]) ?? 0);
    const row = (n: number): number => [0, 1, 2].reduce((sum, axis) => sum + (view.matrix[4 * axis + n] ?? 0) * (p[axis] ?? 0), view.matrix[12 + n] ?? 0);
    const w = row(3);
    return [(width * (1 + row(0) / w)) / 2, (height * (1 - row(1) / w)) / 2];
  };
  const list: [number, number][][] = [];
  for (let k = 0; k < 8; k++) for (const axis of [0, 1, 2]) if (!((k >> axis) & 1)) list.push([project(k), project(k | (1 << axis))]);
  return list;
}
