import { describe, expect, it } from "vitest";
import { levelEdges } from "../src/canvas/level_edges";

function raster(...rows: readonly (readonly number[])[]) {
  const data = Uint8Array.from([...rows].reverse().flat().map((level) => 50 * level));
  return { rows: rows.length, columns: rows[0]?.length ?? 0, values: { data, offset: 0, scale: 0.02, error: 0.01, maxValueCode: 253 } };
}

describe("edges of levels", () => {
  it("surround finer cells, each side as one segment", () => {
    const found = levelEdges(raster([0, 0, 0, 0], [0, 1, 1, 0], [0, 1, 1, 0], [0, 0, 0, 0]));
    expect(found).toEqual([[1, 1, 1, 3], [3, 1, 3, 3], [1, 1, 3, 1], [1, 3, 3, 3]]);
  });

  it("are absent if all cells have one level", () => {
    expect(levelEdges(raster([2, 2], [2, 2]))).toEqual([]);
  });
});
