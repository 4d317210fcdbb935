/** Decodes isosurfaces: signs of lattice points and codes of cut edges, predicted and deflated; docs/surfaces.md describes the
 * format. */

import { bitCount, cutEdges, type CutLattice, meshOf, type Three, vertexNormals, withoutSides, wordsPerRow } from "./mesh";

export interface SurfaceHeader {
  readonly headerBytes: number;
  readonly hasColors: boolean;
  /** Number of points along x, y, z; zeros if nothing is cut. */
  readonly size: Three;
  /** Position of the first point, and distance of points [m]. */
  readonly origin: Three;
  readonly spacing: Three;
  readonly level: number;
  readonly lowestColor: number;
  readonly highestColor: number;
  readonly vertices: number;
  readonly triangles: number;
}

/** A triangulated surface, ready to be drawn. */
export interface SurfaceMesh {
  /** (n x 3) [m]. */
  readonly positions: Float32Array;
  /** (n x 4) int16: unit normal, with 32767 for 1, and 0. */
  readonly normals: Int16Array;
  /** (n), from 0 for `lowestColor` to 255 for `highestColor`; null without colours. */
  readonly colors: Uint8Array | null;
  readonly lowestColor: number;
  readonly highestColor: number;
  /** (m x 3) vertex indices, anticlockwise seen from outside. */
  readonly triangles: Uint32Array;
  readonly level: number;
}

const MAGIC = 0x4f534945; // "EISO"
const VERSION = 1;
const HEADER_BYTES = 128;
const LARGEST_BODY = 2 ** 28; // bytes

export function readHeader(bytes: Uint8Array): SurfaceHeader {
  if (bytes.length < HEADER_BYTES) throw new RangeError(`a surface of ${bytes.length} bytes; its header alone has ${HEADER_BYTES}`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const version = view.getUint16(4, true);
  if (view.getUint32(0, true) !== MAGIC || version !== VERSION) throw new RangeError(`a surface of format ${version}; this page reads format ${VERSION}. Reload it.`);
  const three = (read: (k: number) => number): Three => [read(0), read(1), read(2)];
  const header = {
    headerBytes: view.getUint32(8, true),
    hasColors: (view.getUint16(6, true) & 1) === 1,
    size: three((k) => view.getUint32(28 + 4 * k, true)),
    origin: three((k) => view.getFloat64(40 + 8 * k, true)),
    spacing: three((k) => view.getFloat64(64 + 8 * k, true)),
    level: view.getFloat64(88, true),
    lowestColor: view.getFloat64(96, true),
    highestColor: view.getFloat64(104, true),
    vertices: view.getUint32(120, true),
    triangles: view.getUint32(124, true),
  };
  if (header.headerBytes < HEADER_BYTES || bodySize(header) > LARGEST_BODY) throw new RangeError(`a surface on ${header.size.join(" x ")} points is too large for this page`);
  return header;
}

/** Bytes of the inflated body. */
export function bodySize({ size: [nx, ny, nz], vertices, hasColors }: SurfaceHeader): number {
  return Math.ceil(nx / 8) * ny * nz + (hasColors ? 2 : 1) * vertices;
}

/** Corners of the domain [m]. */
export interface Domain {
  readonly lower: readonly number[];
  readonly upper: readonly number[];
}

/** domain: if given, the parts that close the surface at its sides are left out. */
export async function decodeSurface(bytes: Uint8Array, domain: Domain | null = null): Promise<SurfaceMesh> {
  const header = readHeader(bytes);
  return meshOfBody(header, await inflated(bytes.subarray(header.headerBytes), bodySize(header)), domain);
}

/** Inflates a zlib stream that must have `size` bytes. */
async function inflated(bytes: Uint8Array, size: number): Promise<Uint8Array> {
  const stream = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream("deflate"));
  const body = new Uint8Array(size);
  let count = 0;
  const reader = stream.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    if (count + part.value.length > size) {
      void reader.cancel();
      throw new RangeError(`the data of a surface are longer than ${size} bytes`);
    }
    body.set(part.value, count);
    count += part.value.length;
  }
  if (count !== size) throw new RangeError(`the data of a surface have ${count} bytes, expected ${size}`);
  return body;
}

export function meshOfBody(header: SurfaceHeader, body: Uint8Array, domain: Domain | null = null): SurfaceMesh {
  const { lowestColor, highestColor, level, origin, spacing, hasColors, vertices, size } = header;
  const [signs, signBytes] = [wordsOfSigns(size, body), Math.ceil(size[0] / 8) * size[1] * size[2]];
  const cuts = new Uint8Array(vertices);
  const colors = hasColors ? new Uint8Array(vertices) : null;
  const residuals = body.subarray(signBytes, signBytes + vertices);
  const decoded = vertices === 0 ? 0 : new Predictor({ size, signs }, residuals, cuts, colors && body.subarray(signBytes + vertices), colors).run();
  if (decoded !== vertices) throw new RangeError(`a surface with ${decoded} cut edges, but ${vertices} codes`);
  const closed = vertices === 0 ? { positions: new Float32Array(0), triangles: new Uint32Array(0) } : meshOf({ size, signs, cuts });
  if (closed.triangles.length !== 3 * header.triangles) throw new RangeError(`a surface with ${closed.triangles.length / 3} triangles, expected ${header.triangles}`);
  const onLattice = (place: readonly number[]): Three => {
    const along = (axis: 0 | 1 | 2): number => ((place[axis] ?? 0) - origin[axis]) / spacing[axis];
    return [along(0), along(1), along(2)];
  };
  const mesh = domain ? withoutSides(closed, size, onLattice(domain.lower), onLattice(domain.upper)) : closed;
  const { positions } = mesh;
  for (let k = 0; k < positions.length; k++) positions[k] = (origin[k % 3] as number) + (spacing[k % 3] as number) * (positions[k] as number);
  return { ...mesh, normals: vertexNormals(mesh), colors, lowestColor, highestColor, level };
}

/** Signs in words of 32 points along x; the body has bytes of 8 points along x, in columns. */
function wordsOfSigns([nx, ny, nz]: Three, body: Uint8Array): Uint32Array {
  const words = wordsPerRow(nx);
  const signs = new Uint32Array(words * ny * nz);
  for (let column = 0, at = 0; column < Math.ceil(nx / 8); column++) {
    const [word, shift] = [column >> 2, 8 * (column & 3)];
    for (let row = 0; row < ny * nz; row++, at++) signs[row * words + word] = (signs[row * words + word] as number) | ((body[at] as number) << shift);
  }
  return signs;
}

const UNKNOWN = -0x8000;
const ONE = 256; // codes per edge

/** Undoes the prediction of codes and colours from neighbouring edges along the same axis. */
class Predictor {
  private readonly words: number;
  /** Codes, or -1, and colours of the edges of two planes: (y, x, axis). */
  private codes: [Int16Array, Int16Array];
  private shades: [Uint8Array, Uint8Array];
  private vertex = 0;
  private z = 0;
  private isInside = false;
  /** Colour of the edge that `near` used last. */
  private nearShade = 0;

  constructor(
    private readonly lattice: Pick<CutLattice, "size" | "signs">,
    private readonly residuals: Uint8Array,
    private readonly cuts: Uint8Array,
    private readonly colorResiduals: Uint8Array | null,
    private readonly colors: Uint8Array | null,
  ) {
    const [nx, ny] = lattice.size;
    this.words = wordsPerRow(nx);
    const count = 3 * nx * ny;
    this.codes = [new Int16Array(count).fill(-1), new Int16Array(count).fill(-1)];
    this.shades = [new Uint8Array(count), new Uint8Array(count)];
  }

  /** Decodes all codes and returns their number, which is at most that of the residuals plus one. */
  run(): number {
    const [, ny, nz] = this.lattice.size;
    const found: [number, number, number] = [0, 0, 0];
    const masks = new Uint32Array(3 * this.words);
    for (let z = 0; z < nz; z++) {
      this.z = z;
      this.codes.reverse();
      this.shades.reverse();
      this.codes[0].fill(-1);
      for (let y = 0; y < ny; y++) {
        for (let word = 0; word < this.words; word++) {
          cutEdges(this.lattice, word, y, z, found);
          for (const axis of [0, 1, 2] as const) masks[axis * this.words + word] = found[axis];
        }
        for (let k = 0; k < masks.length; k++) {
          for (let mask = masks[k] as number; mask !== 0; mask &= mask - 1) {
            if (this.vertex >= this.residuals.length) return this.vertex + 1;
            const axis = Math.floor(k / this.words);
            this.decode(axis, 32 * (k - axis * this.words) + bitCount((mask & -mask) - 1), y);
          }
        }
      }
    }
    return this.vertex;
  }

  private decode(axis: number, x: number, y: number): void {
    this.isInside = this.sign(x, y, this.z);
    const [dx, dy] = [axis === 0 ? 0 : 1, axis === 1 ? 0 : 1]; // p1 and p2 are beside the edge
    const [p1Plane, p2Plane] = [0, axis === 2 ? 0 : 1] as const;
    const [x1, y1] = axis === 0 ? [x, y - 1] : [x - dx, y];
    const [x2, y2] = axis === 2 ? [x, y - dy] : [x, y];
    const first = this.near(axis, x1, y1, p1Plane);
    const firstShade = this.nearShade;
    const second = this.near(axis, x2, y2, p2Plane);
    const secondShade = this.nearShade;
    let prediction = ONE / 2;
    if (first !== UNKNOWN && second !== UNKNOWN) {
      const third = axis === 0 ? this.near(axis, x, y - 1, 1) : this.near(axis, x - 1, axis === 2 ? y - 1 : y, p2Plane);
      prediction = third !== UNKNOWN ? first + second - third : (first + second) >> 1;
    } else if (first !== UNKNOWN) prediction = first;
    else if (second !== UNKNOWN) prediction = second;
    prediction = Math.max(0, Math.min(ONE - 1, prediction));
    const vertex = this.vertex++;
    const at = 3 * (y * this.lattice.size[0] + x) + axis;
    const code = (prediction + fromZigzag(this.residuals[vertex] as number)) & 255;
    this.cuts[vertex] = code;
    this.codes[0][at] = code;
    if (!this.colors || !this.colorResiduals) return;
    const before = vertex > 0 ? (this.colors[vertex - 1] as number) : ONE / 2;
    const shade = first !== UNKNOWN ? firstShade : second !== UNKNOWN ? secondShade : before;
    this.colors[vertex] = (shade + fromZigzag(this.colorResiduals[vertex] as number)) & 255;
    this.shades[0][at] = this.colors[vertex] as number;
  }

  /** Code of an edge at (x, y) of this plane (0) or the one before (1), or of the next one along the axis, in codes from the edge's
   * own lower point; UNKNOWN if neither is decoded yet or cut with the same sign. */
  private near(axis: number, x: number, y: number, plane: 0 | 1): number {
    const z = this.z - plane;
    let code = this.look(axis, x, y, z, plane);
    if (code !== UNKNOWN) return code;
    const [ax, ay] = [axis === 0 ? 1 : 0, axis === 1 ? 1 : 0];
    if (axis === 0 || (axis === 1 && plane === 1)) {
      code = this.look(axis, x + ax, y + ay, z, plane);
      if (code !== UNKNOWN) return code + ONE;
    }
    code = axis === 2 ? this.look(axis, x, y, z - 1, 1) : this.look(axis, x - ax, y - ay, z, plane);
    return code === UNKNOWN ? UNKNOWN : code - ONE;
  }

  private look(axis: number, x: number, y: number, z: number, plane: 0 | 1): number {
    const [nx, ny] = this.lattice.size;
    if (x < 0 || y < 0 || z < 0 || x >= nx || y >= ny) return UNKNOWN;
    const at = 3 * (y * nx + x) + axis;
    const code = this.codes[plane][at] as number;
    if (code < 0 || this.sign(x, y, z) !== this.isInside) return UNKNOWN;
    this.nearShade = this.shades[plane][at] as number;
    return code;
  }

  private sign(x: number, y: number, z: number): boolean {
    const word = this.lattice.signs[(z * this.lattice.size[1] + y) * this.words + (x >>> 5)] as number;
    return ((word >>> (x & 31)) & 1) === 1;
  }
}

function fromZigzag(byte: number): number {
  return (byte >> 1) ^ -(byte & 1);
}
