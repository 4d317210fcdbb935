import { describe, expect, it } from "vitest";
import { placeLabel, boundsOf, nearestPoint } from "../src/canvas/labels";

const WINDOW = { x: 0, y: 0, width: 800, height: 500 };
const overlap = (a: ReturnType<typeof boundsOf>, b: ReturnType<typeof boundsOf>): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

describe("labels", () => {
  it("are near their point, inside the window, and cover neither a body nor each other", () => {
    const body = boundsOf([[300, 100], [420, 220], [300, 220]]);
    const first = placeLabel([360, 95], [240, 44], [body], WINDOW);
    const second = placeLabel([360, 225], [240, 44], [body, first], WINDOW);
    for (const note of [first, second]) {
      expect(overlap(note, body)).toBe(false);
      expect(note.x >= 0 && note.x + note.width <= 800 && note.y >= 0 && note.y + note.height <= 500).toBe(true);
    }
    expect(overlap(first, second)).toBe(false);
  });

  it("switch to the other side at the edge of the window", () => {
    expect(placeLabel([790, 250], [240, 44], [], WINDOW).x + 240).toBeLessThan(790);
  });

  it("have a point nearest to their target", () => {
    expect(nearestPoint({ x: 10, y: 10, width: 20, height: 20 }, [0, 15])).toEqual([10, 15]);
  });
});
