import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { interpolateBodies, bodiesAt, lifetimeOf } from "../src/stream/bodies";
import { type Frame, readFrame, decode, valueAt } from "../src/stream/frame";
import { FrameStore } from "../src/stream/frames";
import { rowAt, SeriesStore, statistics } from "../src/stream/series";
import { BodiesSchema, BodySchema, FrameSchema, MarkSchema, MessageSchema, SeriesRowsSchema, Version } from "../src/stream/stream_pb";

function wire(data: Uint8Array, width: number): Uint8Array {
  const frame = create(FrameSchema, {
    index: 7n, step: 42n, time: 0.5,
    rasters: [{
      quantity: "speed", unit: "m/s", rows: 2, columns: 2, lower: [0, 0], upper: [2, 2],
      values: { data, width, offset: 1, scale: 0.5, error: 0.25 },
    }],
  });
  return toBinary(MessageSchema, create(MessageSchema, { version: Version.CURRENT, body: { case: "frame", value: frame } }));
}

function read(bytes: Uint8Array): Frame {
  const { body } = fromBinary(MessageSchema, bytes);
  if (body.case !== "frame") throw new Error("no frame");
  return readFrame(body.value);
}

describe("frames", () => {
  it("are decoded from codes of one and of two bytes", () => {
    const codes = new Uint16Array([0, 2, 4, 65535]);
    const raster = read(wire(new Uint8Array(codes.buffer), 2)).rasters.get("speed");
    expect(raster && [...decode(raster.values)]).toEqual([1, 2, 3]);
    const small = read(wire(new Uint8Array([0, 2, 4, 255]), 1)).rasters.get("speed");
    expect(small && [...decode(small.values)]).toEqual([1, 2, 3]);
  });

  it("are interpolated between cells that contain fluid", () => {
    const raster = read(wire(new Uint8Array([0, 2, 4, 255]), 1)).rasters.get("speed");
    if (!raster) throw new Error("no raster");
    expect(valueAt(raster, 0.5, 0.5)).toBeCloseTo(1, 12);
    expect(valueAt(raster, 1, 0.5)).toBeCloseTo(1.5, 12);
    expect(valueAt(raster, 1.5, 1.5)).toBeNaN();
    expect(valueAt(raster, 3, 0.5)).toBeNaN();
  });

  it("of the wrong length are rejected", () => {
    expect(() => read(wire(new Uint8Array([1, 2, 3]), 1))).toThrow("3 bytes, expected 4 codes");
  });
});

describe("frame store", () => {
  const frame = (step: number, time: number, quantity: string, stored = false): Frame => ({
    index: step, step, time, stored, particles: null, madeAt: 0, surfaces: [], refusedSurfaces: [], bodies: null,
    rasters: new Map([[quantity, {
      quantity, unit: "", rows: 1, columns: 1, lower: [0, 0] as const, upper: [1, 1] as const, low: 0, high: 0, light: null, fluidFraction: null,
      values: { data: new Uint8Array([step]), offset: 0, scale: 1, error: 0, maxValueCode: 253 },
    }]]),
  });

  it("sorts frames by time and merges those of the same step", () => {
    const store = new FrameStore();
    store.add(frame(3, 0.3, "speed"));
    store.add(frame(1, 0.1, "speed"));
    store.addStored([{ step: 2, time: 0.2, frameIndex: 0, particlesIndex: -1, surfacesIndex: -1 }, { step: 3, time: 0.3, frameIndex: 1, particlesIndex: -1, surfacesIndex: -1 }]);
    store.add(frame(3, 0.3, "pressure"));
    expect(store.all.map((moment) => [moment.step, moment.frameIndex])).toEqual([[1, -1], [2, 0], [3, 1]]);
    const third = store.all[2];
    expect(third && [...(store.cachedFrame(third)?.rasters.keys() ?? [])]).toEqual(["speed", "pressure"]);
    expect([0, 0.1, 0.25, 9].map((time) => store.indexAt(time))).toEqual([0, 0, 1, 2]);
    expect([0, 0.1, 0.29].map((time) => store.nearestStored(time)?.step)).toEqual([2, 2, 3]);
  });

  it("drops live rasters of the last frame if that frame is stored", () => {
    const store = new FrameStore();
    const rasters = (): number[] => store.all.map((moment) => store.cachedFrame(moment)?.rasters.size ?? -1);
    store.add(frame(1, 0.1, "speed"));
    store.add(frame(2, 0.2, "speed"));
    store.dropLiveRastersOfLast();
    expect(rasters()).toEqual([1, 1]);
    store.addStored([{ step: 1, time: 0.1, frameIndex: 0, particlesIndex: -1, surfacesIndex: -1 }, { step: 2, time: 0.2, frameIndex: 1, particlesIndex: -1, surfacesIndex: -1 }]);
    store.dropLiveRastersOfLast();
    expect(rasters()).toEqual([1, 0]);
    store.add(frame(2, 0.2, "speed", true));
    expect(rasters()).toEqual([1, 1]);
  });
});

describe("bodies", () => {
  const body = (name: string, x: number) => create(BodySchema, { name, center: [x, 0] });
  const first = [body("post", 1), body("wall", 2)];

  it("are those of the start, updated by a frame", () => {
    expect(bodiesAt(first, null)).toBe(first);
    const moved = create(BodiesSchema, { bodies: [body("post", 3), body("disk", 4)], removed: ["wall", "never"] });
    expect(bodiesAt(first, moved).map(({ name, center }) => [name, center[0]])).toEqual([["post", 3], ["disk", 4]]);
  });

  it("are interpolated linearly if they move, and stay otherwise", () => {
    const disk = (x: number, moves: boolean, points = 2) => create(BodySchema, {
      name: "disk", moves, center: [x, 1], outlines: [{ points: [x, 1, x + 2, 3, 0, 0].slice(0, 2 * points) }],
    });
    const [post, before, after] = [body("post", 1), disk(4, false), disk(8, true)];
    const [, quarter] = interpolateBodies([post, before], [post, before], [post, after], 0.25);
    expect(quarter).toMatchObject({ name: "disk", moves: true, center: [5, 1], outlines: [{ points: [5, 1, 7, 3] }] });
    expect(interpolateBodies([before], [before], [after], 0)[0]).toBe(before);
    expect(interpolateBodies([before], [before], [after], 1)[0]).toBe(after);
    const [here, there] = [disk(4, false), disk(8, false)];
    for (const [one, other] of [[[here], [there]], [[before], [disk(8, true, 3)]], [[before], []], [[], [after]]] as const) {
      const listed = [...one, ...other].slice(0, 1);
      expect(interpolateBodies(listed, one, other, 0.5)).toBe(listed);
    }
  });

  it("are interpolated with their surfaces in 3D", () => {
    const ball = (z: number) => create(BodySchema, { name: "ball", moves: true, surface: { vertices: [0, 0, z, 1, 0, z, 0, 1, z], triangles: [0, 1, 2] } });
    const [first, last] = [[ball(1)], [ball(3)]];
    expect(interpolateBodies(first, first, last, 0.75)[0]?.surface).toMatchObject({ vertices: [0, 0, 2.5, 1, 0, 2.5, 0, 1, 2.5], triangles: [0, 1, 2] });
  });

  it("have a lifetime according to the marks", () => {
    const marks = [["add_body", "disk", 0.1], ["remove_body", "post", 0.2], ["move_body", "", 0.3]] as const;
    const said = marks.map(([command, name, time]) => create(MarkSchema, { command, body: name, time }));
    expect(lifetimeOf("disk", said)).toEqual({ added: 0.1, removed: null });
    expect(lifetimeOf("post", said)).toEqual({ added: null, removed: 0.2 });
  });
});

describe("series", () => {
  const rows = (first: number, times: number[], values: number[], every = 0) =>
    create(SeriesRowsSchema, { name: "force.a", first: BigInt(first), every: BigInt(every), columns: [{ name: "time", unit: "s", values: times }, { name: "total_x", unit: "N", values }] });

  it("are appended, and missing rows are detected", () => {
    const store = new SeriesStore();
    expect(store.append(rows(5, [5], [1]))).toBe(false);
    expect(store.append(rows(0, [0, 1, 2], [1, 2, 3]))).toBe(true);
    expect(store.append(rows(2, [2, 3], [30, 4]))).toBe(true);
    expect(store.append(rows(9, [9], [1]))).toBe(false);
    expect([...(store.all.get("force.a")?.column("total_x") ?? [])]).toEqual([1, 2, 30, 4]);
  });

  it("are thinned as in the run and continue", () => {
    const store = new SeriesStore();
    const kept = (): number[] => [...(store.all.get("force.a")?.column("time") ?? [])];
    store.append(rows(0, [0, 1, 2, 3, 4], [0, 0, 0, 0, 0]));
    expect(store.append(rows(4, [8], [0], 2))).toBe(false); // row 6 of the run is missing
    expect(store.append(rows(3, [6, 8], [0, 0], 2))).toBe(true);
    expect(kept()).toEqual([0, 2, 4, 6, 8]);
    expect(store.append(rows(2, [16], [0], 8))).toBe(true);
    expect(kept()).toEqual([0, 8, 16]);
    expect(store.append(rows(9, [9, 10, 11, 12, 13, 14, 15, 16, 17], [0, 0, 0, 0, 0, 0, 0, 0, 0]))).toBe(true);
    expect(store.append(rows(11, [22, 24], [0, 0], 2))).toBe(true);
    expect(kept()).toEqual([0, 8, 16, 24]);
  });

  it("have statistics that do not depend on the density of rows", () => {
    const times = Float64Array.from([0, 0.1, 0.2, 0.3, 1, 2, 3]);
    const values = times.map((t) => 2 * t + 5);
    const found = statistics(times, values, { from: 0, to: 3 });
    expect(found?.mean).toBeCloseTo(8, 12);
    expect(found?.min).toBe(5);
    expect(found?.max).toBe(11);
    expect(statistics(times, values, { from: 1.2, to: 1.8 })).toBeNull();
    expect([-1, 0, 0.25, 9].map((t) => rowAt(times, t))).toEqual([-1, 0, 2, 6]);
  });
});
