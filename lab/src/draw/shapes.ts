/** Geometry of drawn shapes: handles, outlines, and edits of the world file. */

import { type Edit, numberAt, numbersAt, type JsonValue, type Shape } from "../api/types";
import type { Point } from "../canvas/camera";

export type ToolName = "select" | "pan" | "circle" | "rectangle" | "polygon" | "line" | "probe";

/** A shape with numeric parameters [m]. */
export type Sketch =
  | { readonly shape: "circle"; readonly center: Point; readonly diameter: number }
  | { readonly shape: "rectangle"; readonly min: Point; readonly max: Point }
  | { readonly shape: "rotated"; readonly center: Point; readonly size: Point; readonly angle: number }
  | { readonly shape: "polygon"; readonly points: readonly Point[] }
  | { readonly shape: "line"; readonly from: Point; readonly to: Point; readonly thickness: number };

export interface Handle {
  readonly name: string;
  readonly at: Point;
}

const point = (list: readonly number[]): Point => [list[0] ?? 0, list[1] ?? 0];

/** The sketch of a body from the server; null if it cannot be dragged (3D). */
export function sketchOf(body: Shape): Sketch | null {
  const { numbers } = body;
  const [center, size] = [numbersAt(numbers, "center"), numbersAt(numbers, "size")];
  const [min, max] = [numbersAt(numbers, "min"), numbersAt(numbers, "max")];
  const [from, to] = [numbersAt(numbers, "from"), numbersAt(numbers, "to")];
  const diameter = numberAt(numbers, "diameter");
  const thickness = numberAt(numbers, "thickness");
  if (body.shape === "circle" && center && diameter !== null) return { shape: "circle", center: point(center), diameter };
  if (body.shape === "rectangle" && center && size && "center" in body.written) {
    return { shape: "rotated", center: point(center), size: point(size), angle: numberAt(numbers, "angle") ?? 0 };
  }
  if (body.shape === "rectangle" && min && max) return { shape: "rectangle", min: point(min), max: point(max) };
  if (body.shape === "line" && from && to && thickness !== null) {
    return { shape: "line", from: point(from), to: point(to), thickness };
  }
  const points = numbers["points"];
  if (body.shape === "polygon" && Array.isArray(points)) {
    const corners = points.filter((p): p is number[] => Array.isArray(p) && p.every((c) => typeof c === "number"));
    return { shape: "polygon", points: corners.map(point) };
  }
  return null;
}

export function centerOf(sketch: Sketch): Point {
  switch (sketch.shape) {
    case "circle":
    case "rotated":
      return sketch.center;
    case "rectangle":
      return mean([sketch.min, sketch.max]);
    case "polygon":
      return mean(sketch.points);
    case "line":
      return mean([sketch.from, sketch.to]);
  }
}

function mean(points: readonly Point[]): Point {
  const n = Math.max(1, points.length);
  return [points.reduce((sum, p) => sum + p[0], 0) / n, points.reduce((sum, p) => sum + p[1], 0) / n];
}

export function translated(sketch: Sketch, dx: number, dy: number): Sketch {
  const by = (p: Point): Point => [p[0] + dx, p[1] + dy];
  switch (sketch.shape) {
    case "circle":
    case "rotated":
      return { ...sketch, center: by(sketch.center) };
    case "rectangle":
      return { ...sketch, min: by(sketch.min), max: by(sketch.max) };
    case "polygon":
      return { ...sketch, points: sketch.points.map(by) };
    case "line":
      return { ...sketch, from: by(sketch.from), to: by(sketch.to) };
  }
}

function rotate([x, y]: Point, degrees: number): Point {
  const a = (degrees * Math.PI) / 180;
  return [x * Math.cos(a) - y * Math.sin(a), x * Math.sin(a) + y * Math.cos(a)];
}

/** Corners of a rectangle, anticlockwise from the lower left. */
function corners(sketch: Sketch & { shape: "rectangle" | "rotated" }): Point[] {
  if (sketch.shape === "rectangle") {
    const { min, max } = sketch;
    return [min, [max[0], min[1]], max, [min[0], max[1]]];
  }
  const [w, h] = [sketch.size[0] / 2, sketch.size[1] / 2];
  return ([[-w, -h], [w, -h], [w, h], [-w, h]] as const).map((p) => {
    const [x, y] = rotate(p, sketch.angle);
    return [sketch.center[0] + x, sketch.center[1] + y];
  });
}

export function handles(sketch: Sketch): Handle[] {
  switch (sketch.shape) {
    case "circle":
      return [{ name: "diameter", at: [sketch.center[0] + sketch.diameter / 2, sketch.center[1]] }];
    case "rectangle":
    case "rotated":
      return corners(sketch).map((at, k) => ({ name: `corner ${k}`, at }));
    case "polygon":
      return sketch.points.map((at, k) => ({ name: `point ${k}`, at }));
    case "line":
      return [{ name: "from", at: sketch.from }, { name: "to", at: sketch.to }];
  }
}

/** The sketch after a handle was dragged to a point. */
export function withHandleAt(sketch: Sketch, handle: string, to: Point): Sketch {
  const number = Number(handle.split(" ")[1]);
  switch (sketch.shape) {
    case "circle":
      return { ...sketch, diameter: 2 * Math.hypot(to[0] - sketch.center[0], to[1] - sketch.center[1]) };
    case "rectangle":
    case "rotated": {
      const fixed = corners(sketch)[(number + 2) % 4] as Point;
      if (sketch.shape === "rectangle") return rectangleBetween(fixed, to);
      const [w, h] = rotate([to[0] - fixed[0], to[1] - fixed[1]], -sketch.angle);
      return { ...sketch, center: mean([fixed, to]), size: [Math.abs(w), Math.abs(h)] };
    }
    case "polygon":
      return { ...sketch, points: sketch.points.map((p, k) => (k === number ? to : p)) };
    case "line":
      return handle === "from" ? { ...sketch, from: to } : { ...sketch, to };
  }
}

/** The rectangle between two opposite corners. */
export function rectangleBetween(a: Point, b: Point): Sketch & { shape: "rectangle" } {
  return {
    shape: "rectangle",
    min: [Math.min(a[0], b[0]), Math.min(a[1], b[1])],
    max: [Math.max(a[0], b[0]), Math.max(a[1], b[1])],
  };
}

/** The closed outline of a sketch [m]. */
export function outlineOf(sketch: Sketch): Point[] {
  switch (sketch.shape) {
    case "circle": {
      const r = sketch.diameter / 2;
      return Array.from({ length: 72 }, (_, k) => {
        const a = (2 * Math.PI * k) / 72;
        return [sketch.center[0] + r * Math.cos(a), sketch.center[1] + r * Math.sin(a)] as const;
      });
    }
    case "rectangle":
    case "rotated":
      return corners(sketch);
    case "polygon":
      return [...sketch.points];
    case "line": {
      const [dx, dy] = [sketch.to[0] - sketch.from[0], sketch.to[1] - sketch.from[1]];
      const length = Math.hypot(dx, dy) || 1;
      const [nx, ny] = [(-dy / length) * sketch.thickness * 0.5, (dx / length) * sketch.thickness * 0.5];
      return [
        [sketch.from[0] + nx, sketch.from[1] + ny],
        [sketch.from[0] - nx, sketch.from[1] - ny],
        [sketch.to[0] - nx, sketch.to[1] - ny],
        [sketch.to[0] + nx, sketch.to[1] + ny],
      ];
    }
  }
}

/** Parameters as in the world file. */
function parameters(sketch: Sketch): Record<string, JsonValue> {
  const list = (p: Point): JsonValue => [roundedNumber(p[0]), roundedNumber(p[1])];
  switch (sketch.shape) {
    case "circle":
      return { center: list(sketch.center), diameter: roundedNumber(sketch.diameter) };
    case "rectangle":
      return { min: list(sketch.min), max: list(sketch.max) };
    case "rotated":
      return { center: list(sketch.center), size: list(sketch.size) };
    case "polygon":
      return { points: sketch.points.map(list) };
    case "line":
      return { from: list(sketch.from), to: list(sketch.to), thickness: roundedNumber(sketch.thickness) };
  }
}

/** Rounds to six significant digits, without the rounding noise of pointer positions. */
export function roundedNumber(value: number): number {
  return Number(value.toPrecision(6));
}

/** The table of a new body in the world file. */
export function tableOf(sketch: Sketch): Record<string, JsonValue> {
  return { shape: sketch.shape === "rotated" ? "rectangle" : sketch.shape, ...parameters(sketch) };
}

/** The edits that change `old` into `changed`. Unchanged parameters keep their formulas. */
export function edits(path: readonly string[], old: Sketch, changed: Sketch): Edit[] {
  const before = parameters(old);
  const found: Edit[] = [];
  for (const [key, value] of Object.entries(parameters(changed))) {
    const previous = before[key];
    if (Array.isArray(value) && Array.isArray(previous) && value.length === previous.length) {
      value.forEach((item, k) => {
        if (!isEqual(item, previous[k])) found.push({ op: "set", path: [...path, key, k], value: item });
      });
    } else if (!isEqual(value, previous)) found.push({ op: "set", path: [...path, key], value });
  }
  return found;
}

function isEqual(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
