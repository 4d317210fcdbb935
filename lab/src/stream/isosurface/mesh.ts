/** Triangles of an isosurface from the signs of lattice points and the places where the surface cuts lattice edges. */

import { CASES } from "./cases";

const WORD = 32;

/** Values along x, y, z. */
export type Three = readonly [number, number, number];

/** A field cut at a level on a lattice. */
export interface CutLattice {
  /** Number of points along x, y, z. */
  readonly size: Three;
  /** One bit per point: inside (1) or outside (0). A row along x has ceil(x / 32) words, lowest bit first; unused bits are 0. Rows
   * are ordered by z, then y. */
  readonly signs: Uint32Array;
  /** Places where edges with different signs are cut, in 256ths of their lengths from the lower point; the cut is in the middle of the
   * 256th. Edges are ordered by z, y, axis and x of their lower point. */
  readonly cuts: Uint8Array;
}

/** A triangulated surface. Vertices are in the order of `CutLattice.cuts`. */
export interface Mesh {
  /** (n x 3) in lattice units. */
  readonly positions: Float32Array;
  /** (m x 3) vertex indices, anticlockwise seen from outside. */
  readonly triangles: Uint32Array;
}

export function wordsPerRow(points: number): number {
  return Math.ceil(points / WORD);
}

/** Number of set bits. */
export function bitCount(word: number): number {
  let n = word - ((word >>> 1) & 0x55555555);
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333);
  return Math.imul((n + (n >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Cut edges of one plane of constant z: masks of their lower points, and the index of the first vertex of each word. */
class PlaneOfEdges {
  readonly masks: readonly [Uint32Array, Uint32Array, Uint32Array];
  readonly first: readonly [Uint32Array, Uint32Array, Uint32Array];

  constructor(private readonly words: number, rows: number) {
    const array = (): Uint32Array => new Uint32Array(words * rows);
    this.masks = [array(), array(), array()];
    this.first = [array(), array(), array()];
  }

  vertexAt(axis: 0 | 1 | 2, x: number, y: number): number {
    const word = y * this.words + (x >>> 5);
    return (this.first[axis][word] as number) + bitCount((this.masks[axis][word] as number) & ((1 << (x & 31)) - 1));
  }
}

/** Points of the edges that are cut along x, y and z in a word of a row, as three masks. */
export function cutEdges({ size: [nx, ny, nz], signs }: Pick<CutLattice, "size" | "signs">, word: number, y: number, z: number, into: [number, number, number]): void {
  const words = wordsPerRow(nx);
  const at = (z * ny + y) * words + word;
  const own = signs[at] as number;
  const next = word + 1 < words ? (signs[at + 1] as number) : 0;
  const left = nx - 1 - WORD * word; // edges along x from this word on
  const alongX = left >= WORD ? -1 : left > 0 ? (1 << left) - 1 : 0;
  into[0] = ((own ^ ((own >>> 1) | (next << 31))) & alongX) >>> 0;
  into[1] = y + 1 < ny ? (own ^ (signs[at + words] as number)) >>> 0 : 0;
  into[2] = z + 1 < nz ? (own ^ (signs[at + words * ny] as number)) >>> 0 : 0;
}

/** Throws a RangeError if the number of cuts does not fit the signs. */
export function meshOf(lattice: CutLattice): Mesh {
  const { size, cuts } = lattice;
  const [nx, ny, nz] = size;
  const words = wordsPerRow(nx);
  const positions = new Float32Array(3 * cuts.length);
  const triangles = new GrowingIndices(6 * cuts.length);
  let [low, high] = [new PlaneOfEdges(words, ny), new PlaneOfEdges(words, ny)];
  let count = 0;
  const found: [number, number, number] = [0, 0, 0];
  const numberPlane = (z: number, plane: PlaneOfEdges): void => {
    for (let y = 0; y < ny; y++) {
      for (let word = 0; word < words; word++) {
        cutEdges(lattice, word, y, z, found);
        for (const axis of [0, 1, 2] as const) plane.masks[axis][y * words + word] = found[axis];
      }
      for (const axis of [0, 1, 2] as const) {
        for (let word = 0; word < words; word++) {
          const at = y * words + word;
          plane.first[axis][at] = count;
          for (let mask = plane.masks[axis][at] as number; mask !== 0; mask &= mask - 1) {
            if (count >= cuts.length) throw new RangeError(`a surface with more than ${cuts.length} cut edges, the number of its codes`);
            positions[3 * count] = WORD * word + bitCount((mask & -mask) - 1);
            positions[3 * count + 1] = y;
            positions[3 * count + 2] = z;
            positions[3 * count + axis] = (positions[3 * count + axis] as number) + ((cuts[count] as number) + 0.5) / 256;
            count++;
          }
        }
      }
    }
  };
  numberPlane(0, low);
  for (let z = 0; z + 1 < nz; z++) {
    numberPlane(z + 1, high);
    addLayer(lattice, z, low, high, triangles);
    [low, high] = [high, low];
  }
  if (count !== cuts.length) throw new RangeError(`a surface with ${count} cut edges, but ${cuts.length} codes`);
  return { positions, triangles: triangles.taken() };
}

/** Adds the triangles of the cells between two planes. */
function addLayer({ size: [nx, ny], signs }: CutLattice, z: number, low: PlaneOfEdges, high: PlaneOfEdges, triangles: GrowingIndices): void {
  const words = wordsPerRow(nx);
  const planes = [low, high] as const;
  const bit = (row: number, x: number): number => ((signs[row * words + (x >>> 5)] as number) >>> (x & 31)) & 1;
  for (let y = 0; y + 1 < ny; y++) {
    const rows = [z * ny + y, z * ny + y + 1, (z + 1) * ny + y, (z + 1) * ny + y + 1] as const;
    for (let word = 0; word < words; word++) {
      let [any, all] = [0, -1];
      for (const row of rows) {
        const own = signs[row * words + word] as number;
        const next = word + 1 < words ? (signs[row * words + word + 1] as number) : 0;
        const shifted = (own >>> 1) | (next << 31);
        any |= own | shifted;
        all &= own & shifted;
      }
      const left = nx - 1 - WORD * word;
      const cells = left >= WORD ? -1 : left > 0 ? (1 << left) - 1 : 0;
      for (let mask = any & ~all & cells; mask !== 0; mask &= mask - 1) {
        const x = WORD * word + bitCount((mask & -mask) - 1);
        let corners = 0;
        for (let k = 0; k < 4; k++) corners |= (bit(rows[k as 0 | 1 | 2 | 3], x) | (bit(rows[k as 0 | 1 | 2 | 3], x + 1) << 1)) << (2 * k);
        for (const edge of CASES[corners] as Uint8Array) {
          const [b, c] = [edge & 1, (edge >> 1) & 1];
          if (edge < 4) triangles.add((planes[c as 0 | 1]).vertexAt(0, x, y + b));
          else if (edge < 8) triangles.add((planes[c as 0 | 1]).vertexAt(1, x + b, y));
          else triangles.add(low.vertexAt(2, x + b, y + c));
        }
      }
    }
  }
}

/** The mesh without the triangles that close it at the sides of the domain, and those beside them, whose edge would be as uneven as
 * the points there. lower, upper: corners of the domain in distances of points. The lattice ends at a side if its outermost points lie
 * beyond it; elsewhere it ends where the surface does. */
export function withoutSides({ positions, triangles }: Mesh, size: Three, lower: Three, upper: Three): Mesh {
  const first = lower.map((side) => (side > 0 ? 1 : Number.NEGATIVE_INFINITY));
  const last = size.map((points, axis) => ((upper[axis] as number) < points - 1 ? points - 2 : Number.POSITIVE_INFINITY));
  const isAtSide = Uint8Array.from({ length: positions.length / 3 }, (_, v) => {
    const at = (axis: number): number => positions[3 * v + axis] as number;
    return [0, 1, 2].some((axis) => at(axis) < (first[axis] as number) || at(axis) > (last[axis] as number)) ? 1 : 0;
  });
  const kept = triangles.filter((_, k) => {
    const first = k - (k % 3);
    return [0, 1, 2].every((corner) => isAtSide[triangles[first + corner] as number] === 0);
  });
  return { positions, triangles: kept };
}

class GrowingIndices {
  private values: Uint32Array;
  private count = 0;

  constructor(capacity: number) {
    this.values = new Uint32Array(Math.max(64, capacity));
  }

  add(index: number): void {
    if (this.count === this.values.length) {
      const larger = new Uint32Array(2 * this.count);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.count++] = index;
  }

  taken(): Uint32Array {
    return this.values.slice(0, this.count);
  }
}

/** Unit normals of the vertices, (n x 4) int16 with 32767 for 1 and a fourth number 0: means over the triangles around each vertex,
 * weighted by their areas. */
export function vertexNormals({ positions, triangles }: Mesh): Int16Array {
  const sums = new Float32Array(positions.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * (triangles[t] as number), 3 * (triangles[t + 1] as number), 3 * (triangles[t + 2] as number)];
    const from = (v: number, axis: number): number => (positions[v + axis] as number) - (positions[a + axis] as number);
    const [ux, uy, uz, vx, vy, vz] = [from(b, 0), from(b, 1), from(b, 2), from(c, 0), from(c, 1), from(c, 2)];
    const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    for (const v of [a, b, c]) {
      sums[v] = (sums[v] as number) + x;
      sums[v + 1] = (sums[v + 1] as number) + y;
      sums[v + 2] = (sums[v + 2] as number) + z;
    }
  }
  const normals = new Int16Array((4 * positions.length) / 3);
  for (let v = 0, n = 0; v < sums.length; v += 3, n += 4) {
    const length = Math.hypot(sums[v] as number, sums[v + 1] as number, sums[v + 2] as number) || 1;
    for (let axis = 0; axis < 3; axis++) normals[n + axis] = Math.round((32767 * (sums[v + axis] as number)) / length);
  }
  return normals;
}
