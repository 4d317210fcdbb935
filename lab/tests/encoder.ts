/** Encodes isosurfaces in the format of docs/surfaces.md, simply and slowly. */

import { type CutLattice, meshOf } from "../src/stream/isosurface/mesh";

interface Coding {
  readonly origin?: readonly number[];
  readonly spacing?: readonly number[];
  /** Colour of each vertex, 0 to 255. */
  readonly colors?: readonly number[];
  readonly version?: number;
}

type Edge = readonly [axis: number, x: number, y: number, z: number];

export async function encoded(lattice: CutLattice, { origin = [0, 0, 0], spacing = [1, 1, 1], colors, version = 1 }: Coding = {}): Promise<Uint8Array> {
  const body = new Uint8Array([...signBytes(lattice), ...residuals(lattice, colors)]);
  const header = new DataView(new ArrayBuffer(128));
  header.setUint32(0, 0x4f534945, true);
  header.setUint16(4, version, true);
  header.setUint16(6, colors ? 1 : 0, true);
  header.setUint32(8, 128, true);
  header.setUint32(12, 1, true);
  lattice.size.forEach((n, axis) => {
    header.setUint32(28 + 4 * axis, n, true);
    header.setFloat64(40 + 8 * axis, origin[axis] as number, true);
    header.setFloat64(64 + 8 * axis, spacing[axis] as number, true);
  });
  header.setFloat64(96, -1, true);
  header.setFloat64(104, 4, true);
  header.setUint32(120, lattice.cuts.length, true);
  header.setUint32(124, meshOf(lattice).triangles.length / 3, true);
  return new Uint8Array([...new Uint8Array(header.buffer), ...(await deflated(body))]);
}

async function deflated(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate"))).arrayBuffer());
}

function inside({ size: [nx, ny], signs }: CutLattice, x: number, y: number, z: number): boolean {
  return (((signs[(z * ny + y) * Math.ceil(nx / 32) + (x >> 5)] as number) >>> (x & 31)) & 1) === 1;
}

function signBytes(lattice: CutLattice): number[] {
  const [nx, ny, nz] = lattice.size;
  const bytes: number[] = [];
  for (let column = 0; column < Math.ceil(nx / 8); column++) {
    for (let z = 0; z < nz; z++) {
      for (let y = 0; y < ny; y++) {
        let byte = 0;
        for (let k = 0; k < 8; k++) if (8 * column + k < nx && inside(lattice, 8 * column + k, y, z)) byte |= 1 << k;
        bytes.push(byte);
      }
    }
  }
  return bytes;
}

function edgesInOrder(lattice: CutLattice): Edge[] {
  const [nx, ny, nz] = lattice.size;
  const edges: Edge[] = [];
  for (let z = 0; z < nz; z++) {
    for (let y = 0; y < ny; y++) {
      for (let axis = 0; axis < 3; axis++) {
        for (let x = 0; x < nx; x++) {
          const [x1, y1, z1] = [x + Number(axis === 0), y + Number(axis === 1), z + Number(axis === 2)];
          if (x1 < nx && y1 < ny && z1 < nz && inside(lattice, x, y, z) !== inside(lattice, x1, y1, z1)) edges.push([axis, x, y, z]);
        }
      }
    }
  }
  return edges;
}

const BESIDE = [[[0, 1, 0], [0, 0, 1], [0, 1, 1]], [[1, 0, 0], [0, 0, 1], [1, 0, 1]], [[1, 0, 0], [0, 1, 0], [1, 1, 0]]] as const;

/** Residuals of codes, then of colours. */
function residuals(lattice: CutLattice, colors: readonly number[] | undefined): number[] {
  const found = new Map<string, number>(); // vertices coded so far, by edge
  const sum: number[] = [];
  const shades: number[] = [];
  edgesInOrder(lattice).forEach(([axis, x, y, z], vertex) => {
    const up = [Number(axis === 0), Number(axis === 1), Number(axis === 2)] as const;
    const known = (px: number, py: number, pz: number): number | undefined => {
      const other = found.get(`${axis} ${px} ${py} ${pz}`);
      return other !== undefined && inside(lattice, px, py, pz) === inside(lattice, x, y, z) ? other : undefined;
    };
    const near = BESIDE[axis as 0 | 1 | 2].map(([dx, dy, dz]) => {
      for (const [step, shift] of [[0, 0], [1, 256], [-1, -256]] as const) {
        const other = known(x - dx + step * up[0], y - dy + step * up[1], z - dz + step * up[2]);
        if (other !== undefined) return { code: (lattice.cuts[other] as number) + shift, vertex: other };
      }
      return null;
    });
    const [p1, p2, p3] = near;
    const both = p1 && p2 ? (p3 ? p1.code + p2.code - p3.code : (p1.code + p2.code) >> 1) : (p1?.code ?? p2?.code ?? 128);
    sum.push(zigzag((lattice.cuts[vertex] as number) - Math.max(0, Math.min(255, both))));
    if (colors) shades.push(zigzag((colors[vertex] as number) - (colors[(p1 ?? p2)?.vertex ?? vertex - 1] ?? 128)));
    found.set(`${axis} ${x} ${y} ${z}`, vertex);
  });
  return [...sum, ...shades];
}

function zigzag(difference: number): number {
  const signed = ((difference + 128) & 255) - 128;
  return signed < 0 ? -2 * signed - 1 : 2 * signed;
}
