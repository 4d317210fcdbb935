import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import type { Camera } from "../src/canvas/camera";
import { pathAlong, trail } from "../src/canvas/trail";
import { trackedNames } from "../src/state/tracked";
import { chartSpecs } from "../src/charts/specs";
import * as run from "../src/state/run";
import { MarkSchema } from "../src/stream/stream_pb";
import { Series, SeriesStore } from "../src/stream/series";

const NAMES = ["time", "position_x", "position_y", "velocity_x", "velocity_y", "speed", "pressure"];

function particle(): Series {
  const made = new Series(NAMES, ["s", "m", "m", "m/s", "m/s", "m/s", "Pa"]);
  const x = [0.1, 0.5, 0.9, 0.2];
  made.write(0, [[0, 1, 2, 3], x, [1, 1, 1, 1], x, x, x, x]);
  return made;
}

it("draws the path of a particle up to a time, and none after it has left", () => {
  expect(trail(particle(), 1.5)).toEqual([[0.1, 1], [0.5, 1]]);
  expect(trail(particle(), -1)).toEqual([]);
  expect(trail(particle(), 100)).toEqual([]);
});

it("interrupts a path at periodic sides", () => {
  const camera: Camera = { center: [0, 0], scale: 100, width: 100, height: 100 };
  const path = pathAlong(trail(particle(), 3), camera, [0.5, 0.5]);
  expect(path.replace(/[^ML]/g, "")).toBe("MLLM");
});

it("charts speed and pressure of a particle", () => {
  const store = new SeriesStore();
  store.set("drop", particle());
  expect(chartSpecs(store, null).map(({ name, unit }) => [name, unit])).toEqual([["drop.speed", "m/s"], ["drop.pressure", "Pa"]]);
});

it("knows which particles are tracked from the commands", () => {
  const id = (2n ** 60n + 1n).toString();
  run.marks.value = [create(MarkSchema, { command: "track", observer: "particle", value: id })];
  expect([...trackedNames.value]).toEqual([[id, "particle"]]);
  run.marks.value = [...run.marks.value, create(MarkSchema, { command: "untrack", observer: "particle" })];
  expect(trackedNames.value.size).toBe(0);
});
