/** Interpolates particles between two frames.
 *
 * - A particle that both frames contain follows the cubic Hermite curve through its positions and velocities.
 * - A particle that only one frame contains is extrapolated with its velocity. If it crosses a side that is not periodic, it
 *   is drawn while it is inside the domain. Otherwise it is drawn for half of the interval and moves by at most
 *   `maxExtrapolation`. */

import type { Codes, Particles } from "../../stream/frame";

export interface Domain {
  /** Corners [m], one number per dimension. */
  readonly lower: readonly number[];
  readonly upper: readonly number[];
  /** True if the sides normal to an axis are periodic. */
  readonly periodic: readonly boolean[];
  /** Limit of a displacement that the frames do not determine [m]. */
  readonly maxExtrapolation: number;
}

export interface Motion {
  readonly before: Particles;
  readonly after: Particles;
  /** Time between the two frames [s]. */
  readonly span: number;
  /** 0 shows `before`, 1 shows `after`. */
  readonly blend: number;
  readonly domain: Domain;
}

/** The correspondence of particles between two frames. */
export interface ParticleMatch {
  /** The index in the second frame of each particle of the first, or -1. */
  readonly indexInSecond: Int32Array;
  /** Indices of the particles that only the second frame contains. */
  readonly onlyInSecond: Int32Array;
}

const cache = new WeakMap<Particles, { after: Particles; match: ParticleMatch }>();

export function matchParticles(before: Particles, after: Particles): ParticleMatch {
  const known = cache.get(before);
  if (known?.after === after) return known.match;
  const match = before === after ? identityMatch(before.count) : matchById(before.ids, after.ids, before.count, after.count);
  cache.set(before, { after, match });
  return match;
}

function identityMatch(count: number): ParticleMatch {
  return { indexInSecond: Int32Array.from({ length: count }, (_, k) => k), onlyInSecond: new Int32Array(0) };
}

const HASH_FACTOR = 0x9e3779b1;

function matchById(first: BigInt64Array, second: BigInt64Array, firstCount: number, secondCount: number): ParticleMatch {
  const bits = Math.ceil(Math.log2(2 * second.length + 2));
  const table = new Int32Array(1 << bits).fill(-1);
  const halves = [first, second].map((ids) => new Int32Array(ids.buffer, ids.byteOffset, 2 * ids.length));
  const [firstHalves, secondHalves] = halves as [Int32Array, Int32Array];
  const slot = (list: Int32Array, k: number): number =>
    Math.imul((list[2 * k] as number) ^ Math.imul(list[2 * k + 1] as number, HASH_FACTOR), HASH_FACTOR) >>> (32 - bits);
  const next = (at: number): number => (at + 1) & (table.length - 1);
  for (let k = 0; k < second.length; k++) {
    let at = slot(secondHalves, k);
    while ((table[at] as number) >= 0) at = next(at);
    table[at] = k;
  }
  const indexInSecond = new Int32Array(firstCount).fill(-1);
  const isMatched = new Uint8Array(secondCount);
  for (let k = 0; k < first.length; k++) {
    for (let at = slot(firstHalves, k); (table[at] as number) >= 0; at = next(at)) {
      const other = table[at] as number;
      if (secondHalves[2 * other] !== firstHalves[2 * k] || secondHalves[2 * other + 1] !== firstHalves[2 * k + 1]) continue;
      indexInSecond[k] = other;
      isMatched[other] = 1;
      break;
    }
  }
  const onlyInSecond: number[] = [];
  isMatched.forEach((is, k) => {
    if (!is) onlyInSecond.push(k);
  });
  return { indexInSecond, onlyInSecond: Int32Array.from(onlyInSecond) };
}

/** Vertex attributes of a particle, uint16. For each of the two frames: codes of x, y, z and the value; codes of the velocity
 * and the frames that contain the particle. */
export const VALUES_PER_PARTICLE = 16;
export const BOTH = 0;
export const FIRST = 1;
export const SECOND = 2;

/** Vertex attributes (particles of both frames x 16); the particles of the first frame come first. */
export function vertexData(before: Particles, after: Particles): Uint16Array {
  const { indexInSecond, onlyInSecond } = matchParticles(before, after);
  const [total, firstCount] = [indexInSecond.length + onlyInSecond.length, indexInSecond.length];
  const data = new Uint16Array(VALUES_PER_PARTICLE * total);
  const indices = [new Int32Array(total), new Int32Array(total)] as const; // any index where a frame lacks the particle
  for (let k = 0; k < total; k++) {
    const second = k < firstCount ? (indexInSecond[k] as number) : (onlyInSecond[k - firstCount] as number);
    indices[0][k] = k < firstCount ? k : 0;
    indices[1][k] = Math.max(0, second);
    data[VALUES_PER_PARTICLE * k + 7] = k >= firstCount ? SECOND : second < 0 ? FIRST : BOTH;
  }
  [before, after].forEach(({ count, position, values, velocity }, which) => {
    const copyCodes = (codes: Codes, column: number): void => copy(codes.data, indices[which] as Int32Array, data, 8 * which + column);
    if (count === 0) return;
    position.forEach(copyCodes);
    copyCodes(values, 3);
    velocity.forEach((axis, k) => copyCodes(axis, 4 + k));
  });
  return data;
}

function copy(from: Codes["data"], indices: Int32Array, to: Uint16Array, column: number): void {
  for (let k = 0; k < indices.length; k++) to[VALUES_PER_PARTICLE * k + column] = from[indices[k] as number] as number;
}

/** The indices of particle `k` of `vertexData` in the first and the second frame, -1 if a frame lacks it. */
export function indicesOf({ before, after }: Motion, k: number): readonly [number, number] {
  const { indexInSecond, onlyInSecond } = matchParticles(before, after);
  return k < indexInSecond.length ? [k, indexInSecond[k] as number] : [-1, onlyInSecond[k - indexInSecond.length] as number];
}

/** The drawn position of particle `k` of `vertexData` [m]; null if it is hidden. The shader computes the same. */
export function positionOf(motion: Motion, k: number): number[] | null {
  const { before, after, span, blend: t, domain } = motion;
  const [row, other] = indicesOf(motion, k);
  const at = (codes: readonly Codes[], n: number): number[] => codes.map((axis) => axis.offset + axis.scale * (axis.data[n] as number));
  const displacement = (particles: Particles, n: number): number[] =>
    particles.velocity.length > 0 ? at(particles.velocity, n).map((speed) => span * speed) : particles.position.map(() => 0);
  if (row >= 0 && other >= 0) return wrapPeriodic(hermite(at(before.position, row), displacement(before, row), at(after.position, other), displacement(after, other), t, domain), domain);
  const [from, displacementInInterval, share] = row >= 0 ? [at(before.position, row), displacement(before, row), t] : [at(after.position, other), displacement(after, other), t - 1];
  const sign = row >= 0 ? 1 : -1;
  const crossesSide = isOutside(from.map((x, axis) => x + sign * (displacementInInterval[axis] as number)), domain);
  if (!crossesSide && Math.abs(share) > 0.5) return null;
  const factor = crossesSide ? share : share * Math.min(1, domain.maxExtrapolation / Math.max(Math.abs(share) * Math.hypot(...displacementInInterval), 1e-30));
  const position = from.map((x, axis) => x + factor * (displacementInInterval[axis] as number));
  return crossesSide && isOutside(position, domain) ? null : wrapPeriodic(position, domain);
}

/** Cubic Hermite interpolation. Velocities are limited where the frames are too far apart, so that the curve does not overshoot. */
function hermite(x0: number[], v0: number[], x1: number[], v1: number[], t: number, { lower, upper, periodic, maxExtrapolation }: Domain): number[] {
  const displacement = x0.map((x, axis) => {
    const direct = (x1[axis] as number) - x;
    const period = (upper[axis] as number) - (lower[axis] as number);
    const expected = 0.5 * ((v0[axis] as number) + (v1[axis] as number));
    return periodic[axis] ? direct + period * Math.round((expected - direct) / period) : direct;
  });
  const limit = 3 * Math.hypot(...displacement) + maxExtrapolation;
  const [s0, s1] = [v0, v1].map((v) => Math.min(1, limit / Math.max(Math.hypot(...v), 1e-30))) as [number, number];
  return x0.map(
    (x, axis) =>
      x +
      t * t * (3 - 2 * t) * (displacement[axis] as number) +
      t * (1 - t) * (1 - t) * s0 * (v0[axis] as number) -
      t * t * (1 - t) * s1 * (v1[axis] as number),
  );
}

function isOutside(position: number[], { lower, upper, periodic }: Domain): boolean {
  return position.some((x, axis) => !periodic[axis] && (x < (lower[axis] as number) || x > (upper[axis] as number)));
}

function wrapPeriodic(position: number[], { lower, upper, periodic }: Domain): number[] {
  return position.map((x, axis) => {
    const [low, high] = [lower[axis] as number, upper[axis] as number];
    return periodic[axis] && (x < low || x > high) ? x - (high - low) * Math.floor((x - low) / (high - low)) : x;
  });
}

/** The value of particle `k` of `vertexData`, interpolated between the frames. */
export function valueOf(motion: Motion, k: number): number {
  const valueAt = ({ values }: Particles, row: number): number => values.offset + values.scale * (values.data[row] as number);
  const [row, other] = indicesOf(motion, k);
  if (other < 0) return valueAt(motion.before, row);
  if (row < 0) return valueAt(motion.after, other);
  return (1 - motion.blend) * valueAt(motion.before, row) + motion.blend * valueAt(motion.after, other);
}
