import { describe, expect, it } from "vitest";
import { colorTable, type MapName, TABLE_SIZE, type Theme } from "../src/colors/maps";
import { distance, type Lab, labOf, rgbOf } from "../src/colors/oklab";
import { QUANTITIES } from "../src/colors/quantities";
import { Histogram, short, ticks } from "../src/colors/scale";

function labs(name: MapName, theme: Theme): Lab[] {
  const table = colorTable(name, theme);
  return Array.from({ length: TABLE_SIZE }, (_, k) => labOf([(table[3 * k] ?? 0) / 255, (table[3 * k + 1] ?? 0) / 255, (table[3 * k + 2] ?? 0) / 255]));
}

/** Perceived distances across 16 entries: rounding to 8 bits is then small. */
function strides(colors: Lab[]): number[] {
  const list: number[] = [];
  for (let k = 0; k + 16 < colors.length; k += 16) list.push(distance(colors[k] as Lab, colors[k + 16] as Lab));
  return list;
}

describe("colour maps", () => {
  it("converts there and back", () => {
    const color = [0.2, 0.5, 0.8] as const;
    rgbOf(labOf(color)).forEach((c, k) => expect(c).toBeCloseTo(color[k] as number, 4));
  });

  it.each(["speed", "pressure"] as const)("%s is perceptually uniform and only gets lighter", (name) => {
    const colors = labs(name, "dark");
    const steps = strides(colors);
    expect(Math.max(...steps) / Math.min(...steps)).toBeLessThan(1.2);
    for (let k = 8; k < TABLE_SIZE; k++) expect((colors[k] as Lab)[0]).toBeGreaterThan((colors[k - 8] as Lab)[0]);
  });

  it.each([["vorticity", "light"], ["vorticity", "dark"], ["density", "light"], ["density", "dark"]] as const)(
    "%s, %s: both arms are as light as each other",
    (name, theme) => {
      const colors = labs(name, theme);
      for (let k = 0; k < TABLE_SIZE / 2; k += 8) {
        const [low, high] = [colors[k] as Lab, colors[TABLE_SIZE - 1 - k] as Lab];
        expect(Math.abs(low[0] - high[0])).toBeLessThan(0.06);
      }
    },
  );
});

describe("scales", () => {
  it("ends at the 99th percentile, however the values come", () => {
    const values = Float32Array.from({ length: 10_000 }, (_, k) => k / 10_000);
    values[5000] = 4; // one wild pixel
    const histogram = new Histogram();
    histogram.add(values.subarray(0, 3000));
    histogram.add(values.subarray(3000));
    const { low, high } = histogram.scale(QUANTITIES.speed);
    expect(low).toBe(0);
    expect(Math.abs(high - 0.99)).toBeLessThan(0.03); // a bin of the widened range
  });

  it("is symmetric about zero for diverging quantities", () => {
    const histogram = new Histogram();
    histogram.add(Float32Array.from({ length: 1000 }, (_, k) => (k % 7) - 2));
    const { low, high } = histogram.scale(QUANTITIES.vorticity);
    expect(low).toBe(-high);
    expect(high).toBeCloseTo(4, 0);
  });

  it("takes ticks inside the scale, at round values", () => {
    expect(ticks({ low: -0.31, high: 0.92 }, 5)).toEqual([-0.25, 0, 0.25, 0.5, 0.75]);
    expect(ticks({ low: 1, high: 1 })).toEqual([]);
  });

  it("writes short numbers", () => {
    expect([0, 0.0123456, -1.5, 1234567, 0.00001234].map((value) => short(value))).toEqual(["0", "0.0123", "−1.5", "1.23e6", "1.23e−5"]);
  });
});
