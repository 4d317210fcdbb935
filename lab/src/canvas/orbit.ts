/** The 3D camera, which orbits the domain. */

import { signal } from "@preact/signals";

export interface Orbit {
  /** Angle about the vertical axis y, and angle above the horizontal plane [rad]. */
  readonly azimuth: number;
  readonly elevation: number;
  /** Distance from the centre, in diagonals of the box. */
  readonly distance: number;
}

export const INITIAL_ORBIT: Orbit = { azimuth: 0.55, elevation: 0.35, distance: 1.35 };
export const orbit = signal<Orbit>(INITIAL_ORBIT);

const MAX_ELEVATION = 1.5;

export function rotateOrbit(orbit: Orbit, dx: number, dy: number): Orbit {
  return {
    ...orbit,
    azimuth: orbit.azimuth - 0.008 * dx,
    elevation: Math.min(MAX_ELEVATION, Math.max(-MAX_ELEVATION, orbit.elevation + 0.008 * dy)),
  };
}

export function zoomOrbit(orbit: Orbit, factor: number): Orbit {
  return { ...orbit, distance: Math.min(6, Math.max(0.3, orbit.distance / factor)) };
}

type Vector = readonly [number, number, number];

const FIELD_OF_VIEW = 0.7; // vertical angle of view [rad]
const MIN_ASPECT = 1.4; // on a canvas with a smaller aspect ratio the angle grows, so that the box is not cropped
const LIGHT: Vector = [-0.4, 0.8, 0.45]; // right, up, towards the eye

export interface View {
  /** Transformation from world [m] to clip coordinates, column-major 4 x 4. */
  readonly matrix: Float32Array;
  /** Pixels per metre at distance 1 m. */
  readonly scale: number;
  /** Unit vector towards the light, which is above and to the left of the camera. */
  readonly light: Vector;
  /** Position of the camera [m]. */
  readonly eye: Vector;
  /** Unit vector in which the camera looks. */
  readonly forward: Vector;
  /** Clip coordinate z of a point at distance w in front of the camera: z = -depth[0] w + depth[1] [m]. */
  readonly depth: readonly [number, number];
}

/** The view from an orbit to the centre of a box, which is drawn `lift` half canvas heights above the middle. width, height: size of
 * the canvas [CSS pixels]. */
export function viewFrom({ azimuth, elevation, distance }: Orbit, lower: readonly number[], upper: readonly number[], width: number, height: number, lift = 0): View {
  const corner = (list: readonly number[]): Vector => [list[0] ?? 0, list[1] ?? 0, list[2] ?? 0];
  const [low, high] = [corner(lower), corner(upper)];
  const target: Vector = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2];
  const diagonal = Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]) || 1;
  const back: Vector = [Math.cos(elevation) * Math.sin(azimuth), Math.sin(elevation), Math.cos(elevation) * Math.cos(azimuth)];
  const eyeDistance = distance * diagonal;
  const eye: Vector = [target[0] + eyeDistance * back[0], target[1] + eyeDistance * back[1], target[2] + eyeDistance * back[2]];
  const right: Vector = [Math.cos(azimuth), 0, -Math.sin(azimuth)];
  const up: Vector = [
    back[1] * right[2] - back[2] * right[1],
    back[2] * right[0] - back[0] * right[2],
    back[0] * right[1] - back[1] * right[0],
  ];
  const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const f = Math.min(1, width / height / MIN_ASPECT) / Math.tan(FIELD_OF_VIEW / 2);
  const g = (f * height) / width;
  const [near, far] = [Math.max(0.01 * diagonal, eyeDistance - diagonal), eyeDistance + diagonal];
  const [a, b] = [(far + near) / (near - far), (2 * far * near) / (near - far)];
  const offset = -dot(back, eye);
  const light = (axis: 0 | 1 | 2): number => (LIGHT[0] * right[axis] + LIGHT[1] * up[axis] + LIGHT[2] * back[axis]) / Math.hypot(...LIGHT);
  return {
    matrix: new Float32Array([
      g * right[0], f * up[0] - lift * back[0], a * back[0], -back[0],
      g * right[1], f * up[1] - lift * back[1], a * back[1], -back[1],
      g * right[2], f * up[2] - lift * back[2], a * back[2], -back[2],
      -g * dot(right, eye), -f * dot(up, eye) - lift * offset, a * offset + b, -offset,
    ]),
    scale: (f * height) / 2,
    light: [light(0), light(1), light(2)],
    eye,
    forward: [-back[0], -back[1], -back[2]],
    depth: [a, b],
  };
}

/** The twelve edges of a box on a canvas of the given size [pixels]. */
export function boxEdges(view: View, lower: readonly number[], upper: readonly number[], width: number, height: number): [number, number][][] {
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
