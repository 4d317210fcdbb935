/** Particles between two frames: where each of them is on its way from the one to the other.
 *
 * A particle that both frames have goes along the cubic curve that has its place and its velocity in either. One that only
 * the first has goes on with its velocity, one that only the second has comes with it: those that pass a side that is open,
 * until they are out of the domain, or as soon as they are in; others for half of the time, and not far. */

import type { Codes, Particles } from "../../stream/frame";

export interface Domain {
  /** Corners [m], as many numbers as dimensions. */
  readonly lower: readonly number[];
  readonly upper: readonly number[];
  /** Whether an axis has periodic sides. */
  readonly periodic: readonly boolean[];
  /** How far a particle may go where frames do not say how, at most [m]. */
  readonly reach: number;
}

export interface Motion {
  readonly before: Particles;
  readonly after: Particles;
  /** From the one to the other [s]. */
  readonly span: number;
  /** 0: before, 1: after. */
  readonly blend: number;
  readonly domain: Domain;
}

/** Who is who in two frames. */
export interface Pairs {
  /** For each particle of the first frame its row in the second, or -1. */
  readonly partner: Int32Array;
  /** Rows of those that only the second has. */
  readonly newcomers: Int32Array;
}

const known = new WeakMap<Particles, { after: Particles; pairs: Pairs }>();

export function pairsOf(before: Particles, after: Particles): Pairs {
  const held = known.get(before);
  if (held?.after === after) return held.pairs;
  const pairs = before === after ? same(before.count) : matched(before.ids, after.ids, before.count, after.count);
  known.set(before, { after, pairs });
  return pairs;
}

function same(count: number): Pairs {
  return { partner: Int32Array.from({ length: count }, (_, k) => k), newcomers: new Int32Array(0) };
}

const MIX = 0x9e3779b1;

function matched(first: BigInt64Array, second: BigInt64Array, firstCount: number, secondCount: number): Pairs {
  const bits = Math.ceil(Math.log2(2 * second.length + 2));
  const table = new Int32Array(1 << bits).fill(-1);
  const words = [first, second].map((ids) => new Int32Array(ids.buffer, ids.byteOffset, 2 * ids.length));
  const [mine, theirs] = words as [Int32Array, Int32Array];
  const slot = (list: Int32Array, k: number): number =>
    Math.imul((list[2 * k] as number) ^ Math.imul(list[2 * k + 1] as number, MIX), MIX) >>> (32 - bits);
  const next = (at: number): number => (at + 1) & (table.length - 1);
  for (let k = 0; k < second.length; k++) {
    let at = slot(theirs, k);
    while ((table[at] as number) >= 0) at = next(at);
    table[at] = k;
  }
  const partner = new Int32Array(firstCount).fill(-1);
  const taken = new Uint8Array(secondCount);
  for (let k = 0; k < first.length; k++) {
    for (let at = slot(mine, k); (table[at] as number) >= 0; at = next(at)) {
      const other = table[at] as number;
      if (theirs[2 * other] !== mine[2 * k] || theirs[2 * other + 1] !== mine[2 * k + 1]) continue;
      partner[k] = other;
      taken[other] = 1;
      break;
    }
  }
  const newcomers: number[] = [];
  taken.forEach((is, k) => {
    if (!is) newcomers.push(k);
  });
  return { partner, newcomers: Int32Array.from(newcomers) };
}

/** Of a particle, uint16: codes of place and value, codes of velocity and which frames have it; for either frame. */
export const COLUMNS = 16;
export const BOTH = 0;
export const FIRST = 1;
export const SECOND = 2;

/** (particles of either frame x 16): first those of the first frame. */
export function columnsOf(before: Particles, after: Particles): Uint16Array {
  const { partner, newcomers } = pairsOf(before, after);
  const [all, own] = [partner.length + newcomers.length, partner.length];
  const made = new Uint16Array(COLUMNS * all);
  const rows = [new Int32Array(all), new Int32Array(all)] as const; // of those that a frame does not have: any
  for (let k = 0; k < all; k++) {
    const other = k < own ? (partner[k] as number) : (newcomers[k - own] as number);
    rows[0][k] = k < own ? k : 0;
    rows[1][k] = Math.max(0, other);
    made[COLUMNS * k + 7] = k >= own ? SECOND : other < 0 ? FIRST : BOTH;
  }
  [before, after].forEach(({ count, position, values, velocity }, which) => {
    const take = (codes: Codes, place: number): void => copy(codes.data, rows[which] as Int32Array, made, 8 * which + place);
    if (count === 0) return;
    position.forEach(take);
    take(values, 3);
    velocity.forEach((axis, k) => take(axis, 4 + k));
  });
  return made;
}

function copy(from: Codes["data"], rows: Int32Array, to: Uint16Array, place: number): void {
  for (let k = 0; k < rows.length; k++) to[COLUMNS * k + place] = from[rows[k] as number] as number;
}

/** The row of a particle of `columnsOf`: in the first frame and in the second, -1 where it is not. */
export function rowsOf({ before, after }: Motion, k: number): readonly [number, number] {
  const { partner, newcomers } = pairsOf(before, after);
  return k < partner.length ? [k, partner[k] as number] : [-1, newcomers[k - partner.length] as number];
}

/** Where a particle of `columnsOf` is drawn [m], null if it is not: in numbers what the shader computes. */
export function placeOf(motion: Motion, k: number): number[] | null {
  const { before, after, span, blend: t, domain } = motion;
  const [row, other] = rowsOf(motion, k);
  const at = (codes: readonly Codes[], n: number): number[] => codes.map((axis) => axis.offset + axis.scale * (axis.data[n] as number));
  const way = (particles: Particles, n: number): number[] =>
    particles.velocity.length > 0 ? at(particles.velocity, n).map((speed) => span * speed) : particles.position.map(() => 0);
  if (row >= 0 && other >= 0) return wrapped(curve(at(before.position, row), way(before, row), at(after.position, other), way(after, other), t, domain), domain);
  const [from, whole, share] = row >= 0 ? [at(before.position, row), way(before, row), t] : [at(after.position, other), way(after, other), t - 1];
  const sign = row >= 0 ? 1 : -1;
  const passes = isOutside(from.map((x, axis) => x + sign * (whole[axis] as number)), domain);
  if (!passes && Math.abs(share) > 0.5) return null;
  const go = passes ? share : share * Math.min(1, domain.reach / Math.max(Math.abs(share) * Math.hypot(...whole), 1e-30));
  const place = from.map((x, axis) => x + go * (whole[axis] as number));
  return passes && isOutside(place, domain) ? null : wrapped(place, domain);
}

/** Hermite's cubic. Where the frames lie too far apart for its velocities, it is not allowed to swing out. */
function curve(x0: number[], v0: number[], x1: number[], v1: number[], t: number, { lower, upper, periodic, reach }: Domain): number[] {
  const way = x0.map((x, axis) => {
    const direct = (x1[axis] as number) - x;
    const period = (upper[axis] as number) - (lower[axis] as number);
    const expected = 0.5 * ((v0[axis] as number) + (v1[axis] as number));
    return periodic[axis] ? direct + period * Math.round((expected - direct) / period) : direct;
  });
  const most = 3 * Math.hypot(...way) + reach;
  const [s0, s1] = [v0, v1].map((v) => Math.min(1, most / Math.max(Math.hypot(...v), 1e-30))) as [number, number];
  return x0.map(
    (x, axis) =>
      x +
      t * t * (3 - 2 * t) * (way[axis] as number) +
      t * (1 - t) * (1 - t) * s0 * (v0[axis] as number) -
      t * t * (1 - t) * s1 * (v1[axis] as number),
  );
}

function isOutside(place: number[], { lower, upper, periodic }: Domain): boolean {
  return place.some((x, axis) => !periodic[axis] && (x < (lower[axis] as number) || x > (upper[axis] as number)));
}

function wrapped(place: number[], { lower, upper, periodic }: Domain): number[] {
  return place.map((x, axis) => {
    const [low, high] = [lower[axis] as number, upper[axis] as number];
    return periodic[axis] && (x < low || x > high) ? x - (high - low) * Math.floor((x - low) / (high - low)) : x;
  });
}

/** The value of a particle of `columnsOf`, between those of its frames. */
export function valueOf(motion: Motion, k: number): number {
  const of = ({ values }: Particles, row: number): number => values.offset + values.scale * (values.data[row] as number);
  const [row, other] = rowsOf(motion, k);
  if (other < 0) return of(motion.before, row);
  if (row < 0) return of(motion.after, other);
  return (1 - motion.blend) * of(motion.before, row) + motion.blend * of(motion.after, other);
}
