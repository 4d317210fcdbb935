import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { axisRange, robustRange, tickLabels } from "../src/charts/range";
import { chartData, chartSpecs, type ChartSpec } from "../src/charts/specs";
import { HelloSchema } from "../src/stream/stream_pb";
import { Series, SeriesStore, statistics, valueAtTime } from "../src/stream/series";

function series(times: readonly number[], values: readonly number[]): Series {
  const made = new Series(["time", "total_x"], ["s", "N"]);
  made.write(0, [times, values]);
  return made;
}

describe("charts", () => {
  it("show the values at the displayed time", () => {
    const [times, values] = [Float64Array.of(1, 2, 3), Float64Array.of(10, 20, 30)];
    expect([1, 1.5, 2, 2.9, 3, 99].map((time) => valueAtTime(times, values, time))).toEqual([10, 10, 20, 20, 30, 30]);
    expect(valueAtTime(times, values, 0.5)).toBeNaN();
    expect(valueAtTime(new Float64Array(), new Float64Array(), 1)).toBeNaN();
  });

  it("show the energy and the probes of a solver without a flow", () => {
    const store = new SeriesStore();
    const budget = new Series(["time", "step", "energy"], ["s", "1", "J"]);
    const probe = new Series(["time", "u", "p"], ["s", "m", "m/s"]);
    budget.write(0, [[0], [0], [1]]);
    probe.write(0, [[0], [1], [2]]);
    store.set("budget", budget);
    store.set("middle", probe);
    const hello = create(HelloSchema, { quantities: [{ name: "u" }, { name: "p" }] });
    expect(chartSpecs(store, hello).map(({ title, unit }) => [title, unit])).toEqual([
      ["middle: u", "m"],
      ["Energy", "J"],
    ]);
  });

  it("show the cells of each level, if there are levels", () => {
    const store = new SeriesStore();
    const levels = new Series(["time", "step", "cells_0", "cells_1", "regrids"], ["s", "1", "1", "1", "1"]);
    levels.write(0, [[0], [0], [64], [16], [0]]);
    store.set("levels", levels);
    const curves = (quantities: string[]): string[][] => chartSpecs(store, create(HelloSchema, { quantities: quantities.map((name) => ({ name })) })).map(({ curves }) => curves.map(({ label }) => label));
    expect(curves(["u", "level"])).toEqual([["level 0", "level 1"]]);
    expect(curves(["u"])).toEqual([]);
  });

  it("label ticks with as many digits as they differ in", () => {
    expect(tickLabels([0, 0.5, 1])).toEqual(["0", "0.5", "1"]);
    expect(tickLabels([1.5705, 1.57055, 1.5706])).toEqual(["1.5705", "1.57055", "1.5706"]);
    expect(tickLabels([-12000.25, -12000.2])).toEqual(["−12000.25", "−12000.2"]);
    expect(tickLabels([])).toEqual([]);
  });

  it("show curves only during the lifetime of their body", () => {
    const store = new SeriesStore();
    store.set("budget", series([0, 1, 2, 3], [9, 9, 9, 9]));
    store.set("force.post", series([0, 1, 2], [1, 2, 3]));
    store.set("force.disk", series([2, 3], [5, 6]));
    const curves = ["force.post", "force.disk"].map((name) => ({ series: name, column: "total_x", label: name, factor: 2 }));
    const spec: ChartSpec = { name: "drag", title: "Drag", unit: "N", curves, bands: [] };
    expect(chartData(spec, store, 100).map((column) => [...column])).toEqual([
      [0, 1, 2, 3],
      [2, 4, 6, null],
      [null, null, 10, 12],
    ]);
  });

  it("interpolate thinned series at times without a row", () => {
    const store = new SeriesStore();
    store.set("budget", series([0, 2, 4, 6, 8], [9, 9, 9, 9, 9]));
    const disk = series([3, 4, 5, 6, 7], [1, 2, 3, 4, Number.NaN]);
    disk.thin(2); // times 3, 5, 7
    store.set("force.disk", disk);
    const curves = [{ series: "force.disk", column: "total_x", label: "disk", factor: 10 }];
    const spec: ChartSpec = { name: "drag", title: "Drag", unit: "N", curves, bands: [] };
    expect(chartData(spec, store, 100)[1]).toEqual([null, null, 20, null, null]);
  });

  it("compute statistics when the window starts before the series", () => {
    const found = statistics(Float64Array.of(0, 1, 2), Float64Array.of(Number.NaN, 4, 6), { from: 0, to: 2 });
    expect(found?.mean).toBeCloseTo((4 * 1 + 6 * 0.5) / 1.5, 12);
  });

  it("choose a range that covers most values, and the changing ones if most are equal", () => {
    const waves = Array.from({ length: 100 }, (_, k) => k / 100);
    expect(robustRange([...waves, 1000])[1]).toBeLessThan(2);
    const still = new Array<number>(200).fill(0);
    expect(robustRange(still)).toEqual([0, 0]);
    expect(robustRange([...still, 1500, 1800, 1600])).toEqual([0, 1800]);
  });

  it("include the latest value, which may be a peak that begins", () => {
    const values = [...new Array<number>(500).fill(1), 1.1, 1.2, 1.1, 9];
    expect(axisRange([values], [])[1]).toBeGreaterThan(9);
  });

  it("leave a margin about a constant", () => {
    expect(axisRange([[0, 0]], [])).toEqual([-1, 1]);
    expect(axisRange([[200]], [])).toEqual([190, 210]);
    expect(axisRange([[null]], [])).toEqual([0, 1]);
  });

  it("label an axis in one notation", () => {
    expect(tickLabels([0, 5e-4, 1e-3, 1.5e-3])).toEqual(["0", "0.0005", "0.001", "0.0015"]);
    expect(tickLabels([1e-6, 2e-6])).toEqual(["1e−6", "2e−6"]);
  });
});
