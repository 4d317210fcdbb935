import { describe, expect, it } from "vitest";
import { carried } from "../src/layers/streaks/streaks";
import type { Raster } from "../src/stream/frame";

/** A quantity that is u + s x on 20 by 10 cells of the box from (0, 0) to (2, 1). */
function linear(u: number, s: number): Raster {
  const [rows, columns] = [10, 20];
  const values = Float64Array.from({ length: rows * columns }, (_, k) => u + s * (((k % columns) + 0.5) / 10));
  const scale = 1e-4;
  const data = Uint16Array.from(values, (value) => Math.round(value / scale));
  return {
    quantity: "velocity", unit: "m/s", rows, columns, lower: [0, 0], upper: [2, 1], low: 0, high: 1, shade: null,
    values: { data, offset: 0, scale, error: scale / 2, top: 65533 },
  };
}

describe("streaklines", () => {
  it("go with the flow, and end where they leave it", () => {
    const velocity = { x: linear(1, 0), y: linear(0, 0) };
    const line = carried([1, 0.5, 0.9, 0.5, 1.97, 0.4], velocity, 0.1, 1);
    expect(line.map((value) => Number(value.toFixed(6)))).toEqual([1.1, 0.5, 1, 0.5]);
  });

  it("get points where they are stretched, and none where they are torn", () => {
    const velocity = { x: linear(0.2, 1), y: linear(0, 0) };
    const apart = carried([0.5, 0.5, 0.515, 0.5], velocity, 0.2, 0.01);
    expect(apart).toHaveLength(6);
    expect(apart[2]).toBeCloseTo(((apart[0] as number) + (apart[4] as number)) / 2, 12);
    expect(carried([0.5, 0.5, 0.9, 0.5], velocity, 0.2, 0.01)).toHaveLength(4);
  });
});
