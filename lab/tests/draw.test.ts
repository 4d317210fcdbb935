import { describe, expect, it } from "vitest";
import type { Shape } from "../src/api/types";
import { fill, fit, toScreen, toWorld, zoomAt } from "../src/canvas/camera";
import { edits, handles, outlineOf, withHandleAt, type Sketch, sketchOf, tableOf, translated } from "../src/draw/shapes";
import { boxEdges, INITIAL_ORBIT, viewFrom } from "../src/canvas/orbit";
import { gridStep, snap } from "../src/draw/snap";

const BOX = { lower: [0, 0], upper: [2, 1] } as const;

describe("camera", () => {
  it("converts to screen coordinates and back", () => {
    const camera = fit(BOX, 800, 600, 20);
    const [x, y] = toWorld(camera, toScreen(camera, [0.3, 0.7]));
    expect(x).toBeCloseTo(0.3, 12);
    expect(y).toBeCloseTo(0.7, 12);
    expect(toScreen(camera, [0, 0])[1]).toBeGreaterThan(toScreen(camera, [0, 1])[1]);
  });

  it("keeps the point under the pointer when it zooms", () => {
    const camera = fit(BOX, 800, 600, 20);
    const before = toWorld(camera, [100, 50]);
    const after = toWorld(zoomAt(camera, [100, 50], 3, BOX), [100, 50]);
    expect(after[0]).toBeCloseTo(before[0], 12);
    expect(after[1]).toBeCloseTo(before[1], 12);
  });

  it("fills the canvas, aligned at the left side", () => {
    const camera = fill(BOX, 500, 500);
    expect(toWorld(camera, [0, 0])[0]).toBeCloseTo(0, 12);
    expect(camera.scale).toBe(500);
  });
});

describe("snapping", () => {
  it("snaps to round numbers at least seven pixels apart", () => {
    expect(gridStep(1000)).toBeCloseTo(0.01, 12);
    expect(gridStep(700)).toBeCloseTo(0.01, 12);
    expect(snap([0.1234, 0.5678], 1000, [], false).at.map((c) => Number(c.toFixed(6)))).toEqual([0.12, 0.57]);
  });

  it("prefers nearby guide lines, and can be switched off", () => {
    const lines = [{ axis: 1, at: 0.5651 }] as const;
    const near = snap([0.1234, 0.5678], 1000, lines, false);
    expect(near.at[1]).toBe(0.5651);
    expect(near.guides).toEqual(lines);
    expect(snap([0.1234, 0.5678], 1000, lines, true).at).toEqual([0.1234, 0.5678]);
  });
});

const circle: Sketch = { shape: "circle", center: [0.2, 0.2], diameter: 0.1 };

describe("shapes", () => {
  it("converts a body from the server to a sketch", () => {
    const body: Shape = {
      name: "cylinder", shape: "circle", written: { center: [0.2, "H/2"], diameter: "D" }, in_reference: {},
      numbers: { shape: "circle", center: [0.2, 0.2, 0], diameter: 0.1 }, outlines: [], moves: false, slip: false, drawn: true,
    };
    expect(sketchOf(body)).toEqual(circle);
    expect(sketchOf({ ...body, shape: "sphere" })).toBeNull();
  });

  it("edits only the parameters that a move along one axis changes", () => {
    expect(edits(["bodies", "cylinder"], circle, translated(circle, 0.1, 0))).toEqual([
      { op: "set", path: ["bodies", "cylinder", "center", 0], value: 0.3 },
    ]);
    expect(edits(["bodies", "cylinder"], circle, circle)).toEqual([]);
  });

  it("moves each handle to the pointer", () => {
    const shapes: Sketch[] = [
      circle,
      { shape: "rectangle", min: [0, 0], max: [1, 2] },
      { shape: "rotated", center: [1, 1], size: [1, 0.5], angle: 30 },
      { shape: "polygon", points: [[0, 0], [1, 0], [0, 1]] },
      { shape: "line", from: [0, 0], to: [1, 1], thickness: 0.1 },
    ];
    for (const sketch of shapes) {
      handles(sketch).forEach(({ name, at }, k) => {
        const to = [at[0] + (at[0] > 0.5 ? 0.05 : -0.05), at[1]] as const;
        const moved = sketch.shape === "circle" ? ([0.3, 0.2] as const) : to;
        const now = handles(withHandleAt(sketch, name, moved));
        const reached = now.some((handle) => Math.hypot(handle.at[0] - moved[0], handle.at[1] - moved[1]) < 1e-9);
        expect(reached, `${sketch.shape} handle ${k}`).toBe(true);
      });
    }
  });

  it("writes valid tables with rounded numbers", () => {
    const noisy = translated(circle, 0.1 + 0.2, 0);
    expect(tableOf(noisy)).toEqual({ shape: "circle", center: [0.5, 0.2], diameter: 0.1 });
    expect(tableOf({ shape: "rotated", center: [1, 1], size: [1, 2], angle: 10 })["shape"]).toBe("rectangle");
  });

  it("draws a line with its thickness", () => {
    const corners = outlineOf({ shape: "line", from: [0, 0], to: [2, 0], thickness: 0.4 });
    expect(corners.map((p) => p[1])).toEqual([0.2, -0.2, -0.2, 0.2]);
  });
});

describe("orbit", () => {
  it("shows the centre of the box at the centre of the canvas, with all corners in front", () => {
    const view = viewFrom(INITIAL_ORBIT, [0, 0, 0], [2, 1, 1], 800, 600);
    const lines = boxEdges(view, [0, 0, 0], [2, 1, 1], 800, 600);
    expect(lines).toHaveLength(12);
    for (const [x, y] of lines.flat()) {
      expect(x).toBeGreaterThan(0);
      expect(x).toBeLessThan(800);
      expect(y).toBeGreaterThan(0);
      expect(y).toBeLessThan(600);
    }
    const middle = [1, 0.5, 0.5, 1];
    const row = (n: number): number => middle.reduce((sum, c, k) => sum + c * (view.matrix[4 * k + n] ?? 0), 0);
    expect(row(0) / row(3)).toBeCloseTo(0, 5);
    expect(row(1) / row(3)).toBeCloseTo(0, 5);
  });
});
