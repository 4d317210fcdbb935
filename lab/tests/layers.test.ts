import { describe, expect, it } from "vitest";
import { advected } from "../src/layers/streaklines/streaklines";
import { sampleVelocity } from "../src/layers/velocity";
import { CORNER_FLOATS, cornersWithNormals } from "../src/layers/surfaces/normals";
import type { Raster } from "../src/stream/frame";

/** A quantity that is u + s x on 20 by 10 cells of the box from (0, 0) to (2, 1). */
function linear(u: number, s: number): Raster {
  const [rows, columns] = [10, 20];
  const values = Float64Array.from({ length: rows * columns }, (_, k) => u + s * (((k % columns) + 0.5) / 10));
  const scale = 1e-4;
  const data = Uint16Array.from(values, (value) => Math.round(value / scale));
  return {
    quantity: "velocity", unit: "m/s", rows, columns, lower: [0, 0], upper: [2, 1], low: 0, high: 1, light: null, fluidFraction: null,
    values: { data, offset: 0, scale, error: scale / 2, maxValueCode: 65533 },
  };
}

describe("streaklines", () => {
  it("are advected and end where they leave the fluid", () => {
    const velocity = { x: linear(1, 0), y: linear(0, 0), next: null, blend: 0 };
    const line = advected([1, 0.5, 0.9, 0.5, 1.97, 0.4], velocity, 0.1, 1);
    expect(line.map((value) => Number(value.toFixed(6)))).toEqual([1.1, 0.5, 1, 0.5]);
  });

  it("get new points where they are stretched, but not in large gaps", () => {
    const velocity = { x: linear(0.2, 1), y: linear(0, 0), next: null, blend: 0 };
    const apart = advected([0.5, 0.5, 0.515, 0.5], velocity, 0.2, 0.01);
    expect(apart).toHaveLength(6);
    expect(apart[2]).toBeCloseTo(((apart[0] as number) + (apart[4] as number)) / 2, 12);
    expect(advected([0.5, 0.5, 0.9, 0.5], velocity, 0.2, 0.01)).toHaveLength(4);
  });
});

describe("the velocity between two frames", () => {
  const slow = { x: linear(1, 0), y: linear(0, 0) };
  const fast = { x: linear(3, 0), y: linear(0.5, 0) };
  const into = { x: 0, y: 0 };

  it("is interpolated", () => {
    expect(sampleVelocity({ ...slow, next: fast, blend: 0.25 }, 1, 0.5, into)).toBe(true);
    expect(into.x).toBeCloseTo(1.5, 3);
    expect(into.y).toBeCloseTo(0.125, 3);
  });

  it("is that of the frame with fluid, if only one has fluid there", () => {
    const dry: Raster = { ...slow.x, values: { ...slow.x.values, data: new Uint16Array(200).fill(65535) } };
    expect(sampleVelocity({ x: dry, y: dry, next: fast, blend: 0.25 }, 1, 0.5, into)).toBe(true);
    expect(into.x).toBeCloseTo(3, 3);
    expect(sampleVelocity({ ...slow, next: { x: dry, y: dry }, blend: 0.25 }, 1, 0.5, into)).toBe(true);
    expect(into.x).toBeCloseTo(1, 3);
    expect(sampleVelocity({ x: dry, y: dry, next: null, blend: 0 }, 1, 0.5, into)).toBe(false);
  });
});

describe("surfaces", () => {
  const normals = (vertices: number[], triangles: number[]): number[][] => {
    const made = cornersWithNormals(vertices, triangles);
    return triangles.map((vertex, k) => {
      const corner = [...made.subarray(CORNER_FLOATS * k, CORNER_FLOATS * (k + 1))];
      corner.slice(0, 3).forEach((at, axis) => expect(at).toBeCloseTo(vertices[3 * vertex + axis] as number, 6));
      return corner.slice(3);
    });
  };

  it("have sharp edges where faces meet at right angles", () => {
    const step = [0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 0, 0, 0, 1, 0, 0]; // a square above, and one in front, in x, y, z
    const found = normals(step, [0, 1, 2, 0, 2, 3, 4, 5, 1, 4, 1, 0]);
    found.forEach((normal, k) => normal.forEach((value, axis) => expect(value).toBeCloseTo((k < 6 ? [0, 0, 1] : [0, -1, 0])[axis] as number, 6)));
  });

  it("are smooth where faces meet at small angles, for either diagonal of the squares", () => {
    const around = [0, 1, 2, 3, 4].map((k) => (k * Math.PI) / 12);
    const pipe = [0, 1].flatMap((z) => around.flatMap((angle) => [Math.cos(angle), Math.sin(angle), z]));
    const triangles = [0, 1, 2, 3].flatMap((k) => (k === 2 ? [k, k + 1, k + 5, k + 1, k + 6, k + 5] : [k, k + 1, k + 6, k, k + 6, k + 5]));
    normals(pipe, triangles).forEach((normal, corner) => {
      const k = (triangles[corner] as number) % 5;
      if (k === 0 || k === 4) return; // where the pipe ends
      const angle = around[k] as number;
      [Math.cos(angle), Math.sin(angle), 0].forEach((value, axis) => expect(normal[axis]).toBeCloseTo(value, 6));
    });
  });
});
