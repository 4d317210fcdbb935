/** Fields on small lattices, cut at level 0. */

import { type CutLattice, wordsPerRow } from "../src/stream/isosurface/mesh";

export type Field = (x: number, y: number, z: number) => number;

export function sphere(center: readonly [number, number, number], radius: number): Field {
  return (x, y, z) => radius - Math.hypot(x - center[0], y - center[1], z - center[2]);
}

/** White noise, the same each time. */
export function noise(x: number, y: number, z: number): number {
  let h = Math.imul(x, 73856093) ^ Math.imul(y, 19349663) ^ Math.imul(z, 83492791);
  for (const factor of [0x7feb352d, 0x846ca68b]) h = Math.imul(h ^ (h >>> 15), factor);
  return ((h ^ (h >>> 16)) >>> 0) / 2 ** 31 - 1;
}

export function cutLattice(size: readonly [number, number, number], field: Field): CutLattice {
  const [nx, ny, nz] = size;
  const words = wordsPerRow(nx);
  const signs = new Uint32Array(words * ny * nz);
  const cuts: number[] = [];
  for (let z = 0; z < nz; z++) {
    for (let y = 0; y < ny; y++) {
      for (let x = 0; x < nx; x++) if (field(x, y, z) > 0) signs[(z * ny + y) * words + (x >> 5)]! |= 1 << (x & 31);
      for (const [dx, dy, dz] of [[1, 0, 0], [0, 1, 0], [0, 0, 1]] as const) {
        if (y + dy >= ny || z + dz >= nz) continue;
        for (let x = 0; x + dx < nx; x++) {
          const [a, b] = [field(x, y, z), field(x + dx, y + dy, z + dz)];
          if (a > 0 !== b > 0) cuts.push(Math.min(255, Math.floor((256 * a) / (a - b))));
        }
      }
    }
  }
  return { size, signs, cuts: Uint8Array.from(cuts) };
}
