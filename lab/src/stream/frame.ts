/** A frame of the flow: arrays of quantised numbers as received. */

import type { Bodies, Codes as WireCodes, Frame as WireFrame, Isosurface as WireSurface, Particles as WireParticles, Raster as WireRaster } from "./stream_pb";

/** Quantised numbers: value = offset + scale * code, with an error of at most `error`. */
export interface Codes {
  readonly data: Uint8Array | Uint16Array;
  readonly offset: number;
  readonly scale: number;
  readonly error: number;
  /** The largest code that is a value. In rasters, higher codes mean solid or no fluid. */
  readonly maxValueCode: number;
}

export interface Raster {
  readonly quantity: string;
  readonly unit: string;
  readonly rows: number;
  readonly columns: number;
  /** Values (rows x columns), row 0 at the bottom. */
  readonly values: Codes;
  /** Light on each cell; 160 stands for 1. Only in views of 3D runs. */
  readonly light: Uint8Array | null;
  /** Fraction of fluid around each cell; 255 stands for 1. Only in 2D runs with a free surface. */
  readonly fluidFraction: Uint8Array | null;
  /** Corners [m]. */
  readonly lower: readonly [number, number];
  readonly upper: readonly [number, number];
  readonly low: number;
  readonly high: number;
}

export interface Particles {
  readonly count: number;
  readonly total: number;
  /** Positions (count) along each axis, uint16 or uint8 [m]. */
  readonly position: readonly Codes[];
  /** Velocities (count) along each axis [m/s]; empty if unknown. */
  readonly velocity: readonly Codes[];
  readonly quantity: string;
  readonly unit: string;
  /** Values of the quantity (count). */
  readonly values: Codes;
  /** Permanent ids (count). */
  readonly ids: BigInt64Array;
}

/** Counts of values in equal bins between low and high. */
export interface Histogram {
  readonly low: number;
  readonly high: number;
  readonly counts: readonly number[];
}

/** An isosurface as received. */
export interface Surface {
  readonly quantity: string;
  readonly level: number;
  /** The quantity of its colours; empty if it has none. */
  readonly color: string;
  readonly stride: number;
  /** Encoded; isosurface/decode.ts describes the format. */
  readonly data: Uint8Array;
  readonly histogram: Histogram | null;
}

export interface RefusedSurface {
  readonly quantity: string;
  readonly level: number;
  readonly reason: string;
}

export interface Frame {
  readonly index: number;
  readonly step: number;
  /** Simulated time [s]. */
  readonly time: number;
  readonly stored: boolean;
  /** The hub's clock when the frame was made [s]; 0 for stored frames. */
  readonly madeAt: number;
  readonly rasters: ReadonlyMap<string, Raster>;
  readonly particles: Particles | null;
  readonly surfaces: readonly Surface[];
  /** Requested surfaces that the run could not make, and why. */
  readonly refusedSurfaces: readonly RefusedSurface[];
  /** Bodies that differ from the start of the run; null if none does. */
  readonly bodies: Bodies | null;
}

export function readFrame(frame: WireFrame): Frame {
  return {
    index: Number(frame.index),
    step: Number(frame.step),
    time: frame.time,
    stored: frame.stored,
    madeAt: frame.madeAt,
    rasters: new Map(frame.rasters.map((raster) => [raster.quantity, readRaster(raster)])),
    particles: frame.particles ? readParticles(frame.particles) : null,
    surfaces: frame.surfaces.filter(({ refusal }) => !refusal).map(readSurface),
    refusedSurfaces: frame.surfaces.flatMap(({ request, refusal }) => (request && refusal ? [{ quantity: request.quantity, level: request.level, reason: refusal }] : [])),
    bodies: frame.bodies ?? null,
  };
}

/** A surface; its bytes are copied, so that it does not keep the rest of the message in memory. */
function readSurface({ request, data, histogram }: WireSurface): Surface {
  return {
    quantity: request?.quantity ?? "",
    level: request?.level ?? 0,
    color: request?.color ?? "",
    stride: request?.stride || 1,
    data: data.slice(),
    histogram: histogram ? { low: histogram.low, high: histogram.high, counts: histogram.counts } : null,
  };
}

function readRaster(raster: WireRaster): Raster {
  const cells = raster.rows * raster.columns;
  return {
    quantity: raster.quantity,
    unit: raster.unit,
    rows: raster.rows,
    columns: raster.columns,
    values: readCodes(raster.values, cells, `raster of ${raster.quantity}`, 2),
    light: dataOrNull(raster.shade, cells),
    fluidFraction: dataOrNull(raster.cover, cells),
    lower: [raster.lower[0] ?? 0, raster.lower[1] ?? 0],
    upper: [raster.upper[0] ?? 1, raster.upper[1] ?? 1],
    low: raster.low,
    high: raster.high,
  };
}

function dataOrNull(codes: WireCodes | undefined, count: number): Uint8Array | null {
  return codes?.data.length === count ? codes.data : null;
}

function readParticles(particles: WireParticles): Particles {
  const { count } = particles;
  const bytes = particles.ids;
  const velocity = particles.position.flatMap((_, k) => particles.carried.filter(({ quantity }) => quantity === `velocity_${"xyz"[k]}`));
  return {
    count,
    total: Number(particles.total),
    position: particles.position.map((axis, k) => readCodes(axis, count, `positions along axis ${k}`, 0)),
    velocity: velocity.length === particles.position.length ? velocity.map(({ quantity, values }) => readCodes(values, count, `particles' ${quantity}`, 0)) : [],
    quantity: particles.quantity,
    unit: particles.unit,
    values: readCodes(particles.values, count, `particles' ${particles.quantity}`, 0),
    ids: bytes.length === 8 * count ? new BigInt64Array(alignedCopy(bytes)) : new BigInt64Array(0),
  };
}

function readCodes(codes: WireCodes | undefined, count: number, name: string, reserved: number): Codes {
  if (!codes || (codes.width !== 1 && codes.width !== 2) || codes.data.length !== count * codes.width) {
    throw new RangeError(`${name}: ${codes?.data.length ?? 0} bytes, expected ${count} codes`);
  }
  return {
    data: codes.width === 1 ? codes.data : new Uint16Array(alignedCopy(codes.data)),
    offset: codes.offset,
    scale: codes.scale,
    error: codes.error,
    maxValueCode: (codes.width === 1 ? 255 : 65535) - reserved,
  };
}

/** A copy in a buffer of its own: an array of wider numbers must start at a multiple of their width. */
function alignedCopy(bytes: Uint8Array): ArrayBuffer {
  return bytes.slice().buffer as ArrayBuffer;
}

/** Every n-th value as float32, without cells that contain no fluid. */
export function decode(codes: Codes, every = 1): Float32Array {
  const values = new Float32Array(Math.ceil(codes.data.length / every));
  let count = 0;
  for (let k = 0; k < codes.data.length; k += every) {
    const code = codes.data[k] as number;
    if (code <= codes.maxValueCode) values[count++] = codes.offset + codes.scale * code;
  }
  return values.subarray(0, count);
}

/** The value at (x, y) [m], bilinear between cells; NaN outside the raster and where there is no fluid. */
export function valueAt(raster: Raster, x: number, y: number): number {
  const { lower, upper, columns, rows, values } = raster;
  if (x < lower[0] || x > upper[0] || y < lower[1] || y > upper[1]) return Number.NaN;
  const u = ((x - lower[0]) / (upper[0] - lower[0])) * columns - 0.5;
  const v = ((y - lower[1]) / (upper[1] - lower[1])) * rows - 0.5;
  const i = Math.floor(u);
  const j = Math.floor(v);
  let sum = 0;
  let weight = 0;
  for (let k = 0; k < 4; k++) {
    const di = k & 1;
    const dj = k >> 1;
    const column = Math.min(columns - 1, Math.max(0, i + di));
    const row = Math.min(rows - 1, Math.max(0, j + dj));
    const code = values.data[row * columns + column] as number;
    if (code > values.maxValueCode) continue;
    const w = (di ? u - i : 1 - u + i) * (dj ? v - j : 1 - v + j);
    sum += w * code;
    weight += w;
  }
  return weight > 0.25 ? values.offset + (values.scale * sum) / weight : Number.NaN;
}
