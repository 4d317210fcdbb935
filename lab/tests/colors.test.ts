import { describe, expect, it } from "vitest";
import { colorTable, TABLE_SIZE } from "../src/colors/maps";
import { learnQuantities, QUANTITY_NAMES, quantityOf } from "../src/colors/quantities";
import { Histogram, formatNumber, roundTicks } from "../src/colors/scale";

/** Relative luminance of each colour, 0 to 1 (WCAG 2.2). */
function luminances(name: Parameters<typeof colorTable>[0]): number[] {
  const linear = [...colorTable(name)].map((part) => (part <= 10 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return Array.from({ length: TABLE_SIZE }, (_, k) => 0.2126 * (linear[3 * k] ?? 0) + 0.7152 * (linear[3 * k + 1] ?? 0) + 0.0722 * (linear[3 * k + 2] ?? 0));
}

describe("colour maps", () => {
  it.each([quantityOf("speed").map, quantityOf("pressure").map])("%s only gets lighter", (name) => {
    const found = luminances(name);
    for (let k = 8; k < TABLE_SIZE; k++) expect(found[k] as number).toBeGreaterThan(found[k - 8] as number);
  });

  it.each([quantityOf("vorticity").map, quantityOf("density").map])("%s is lightest in its middle", (name) => {
    const found = luminances(name);
    expect(Math.max(...found)).toBe(Math.max(...found.slice(120, 136)));
    expect(found[127]).toBeGreaterThan(0.85);
  });
});

describe("quantities", () => {
  it("are those that the solver of a run tells, without components of the velocity", () => {
    const flow = ["speed", "pressure", "density", "vorticity", "velocity_x"].map((name) => ({ name, unit: "", diverging: ["density", "vorticity"].includes(name), label: name, startsAtZero: name === "speed" }));
    expect(learnQuantities(flow)).toEqual(QUANTITY_NAMES);
    const wave = [{ name: "u", unit: "m", diverging: true, label: "displacement u", startsAtZero: false }];
    expect(learnQuantities(wave)).toEqual(["u"]);
    expect(quantityOf("u")).toMatchObject({ label: "Displacement u", unit: "m", kind: "diverging", map: "RdBu_r" });
    expect(quantityOf("unknown").label).toBe("unknown");
  });

  it("show the density of a gas as it is, that of a liquid as its change", () => {
    learnQuantities([{ name: "density", unit: "kg/m³", diverging: false, label: "density", startsAtZero: false }]);
    expect(quantityOf("density")).toMatchObject({ unit: "kg/m³", kind: "sequential", map: "viridis", label: "Density", startsAtZero: false });
    learnQuantities([{ name: "density", unit: "1", diverging: true, label: "rho/rho0 - 1", startsAtZero: false }]);
    expect(quantityOf("density")).toMatchObject({ unit: "ρ/ρ₀ − 1", kind: "diverging" });
  });
});

describe("scales", () => {
  it("ends at the 99th percentile, in whatever order values are added", () => {
    const values = Float32Array.from({ length: 10_000 }, (_, k) => k / 10_000);
    values[5000] = 4; // one wild pixel
    const histogram = new Histogram();
    histogram.add(values.subarray(0, 3000));
    histogram.add(values.subarray(3000));
    const { low, high } = histogram.scale(quantityOf("speed"));
    expect(low).toBe(0);
    expect(Math.abs(high - 0.99)).toBeLessThan(0.03); // a bin of the widened range
  });

  it("is symmetric about zero for diverging quantities", () => {
    const histogram = new Histogram();
    histogram.add(Float32Array.from({ length: 1000 }, (_, k) => (k % 7) - 2));
    const { low, high } = histogram.scale(quantityOf("vorticity"));
    expect(low).toBe(-high);
    expect(high).toBeCloseTo(4, 0);
  });

  it("has ticks at round values inside the scale", () => {
    expect(roundTicks({ low: -0.31, high: 0.92 }, 5)).toEqual([-0.25, 0, 0.25, 0.5, 0.75]);
    expect(roundTicks({ low: 1, high: 1 })).toEqual([]);
  });

  it("formats numbers", () => {
    expect([0, 0.0123456, -1.5, 1234567, 0.00001234].map((value) => formatNumber(value))).toEqual(["0", "0.0123", "−1.5", "1.23e6", "1.23e−5"]);
  });
});
