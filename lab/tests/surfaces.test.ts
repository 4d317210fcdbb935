import { describe, expect, it } from "vitest";
import { boxEdges, INITIAL_ORBIT, viewFrom } from "../src/canvas/orbit";
import { inverse } from "../src/layers/isosurfaces/layer";
import { planeOf } from "../src/state/cut";
import { followedLevel, LevelRequests, suggestedLevel } from "../src/state/levels";
import type { Surface } from "../src/stream/frame";
import type { SurfaceMesh } from "../src/stream/isosurface/decode";
import { SurfaceDecoder } from "../src/stream/isosurface/decoder";

describe("levels", () => {
  it("are requested one after the other while a slider is dragged", () => {
    const requests = new LevelRequests();
    const arrived = new Set<number>();
    const next = (wanted: number, now: number): number => requests.next(1, wanted, (level) => arrived.has(level), now);
    expect(next(1, 0)).toBe(1);
    expect(next(2, 10)).toBe(1);
    expect(next(3, 20)).toBe(1);
    arrived.add(1);
    expect(next(3, 30)).toBe(3);
    expect(next(4, 40)).toBe(3);
    expect(requests.next(2, 4, () => false, 40)).toBe(4); // another surface
  });

  it("do not wait forever for a lost answer", () => {
    const requests = new LevelRequests();
    requests.next(1, 1, () => false, 0);
    expect(requests.next(1, 2, () => false, 1900)).toBe(1);
    expect(requests.next(1, 2, () => false, 2100)).toBe(2);
  });

  it("begin above 90 % of the values", () => {
    expect(suggestedLevel({ low: 0, high: 10, counts: [50, 30, 10, 5, 5, 0, 0, 0, 0, 0] })).toBeCloseTo(3, 0);
    expect(suggestedLevel({ low: -1, high: 1, counts: [0, 0, 0, 100] })).toBeLessThan(1);
    expect(suggestedLevel({ low: -10, high: 10, counts: [0, 95, 5, 0] }, 1)).toBe(1);
  });

  it("follow the values of a run once all of these lie on one side", () => {
    const [early, late] = [{ low: 0, high: 2400, counts: [20, 80] }, { low: 0, high: 900, counts: [50, 50] }];
    const first = followedLevel(null, early);
    expect(first).toBe(suggestedLevel(early));
    expect(followedLevel(first, { ...early, high: 2000 })).toBe(first);
    expect(followedLevel(first, late)).toBe(suggestedLevel(late));
    expect(followedLevel(300, { low: 300, high: 300, counts: [100] })).toBe(300); // no value moves it again and again
  });
});

describe("the plane of a cut", () => {
  it("removes one side of it", () => {
    const isRemoved = (plane: readonly [number, number, number, number], [x, y, z]: readonly [number, number, number]): boolean => plane[0] * x + plane[1] * y + plane[2] * z > plane[3];
    const upper = planeOf({ axis: 1, place: 0.25, removesLower: false }, [0, 2, 0], [1, 6, 1]);
    expect([isRemoved(upper, [0, 2.9, 0]), isRemoved(upper, [0, 3.1, 0])]).toEqual([false, true]);
    const lower = planeOf({ axis: 1, place: 0.25, removesLower: true }, [0, 2, 0], [1, 6, 1]);
    expect([isRemoved(lower, [0, 2.9, 0]), isRemoved(lower, [0, 3.1, 0])]).toEqual([true, false]);
    expect(isRemoved(planeOf(null, [0, 0, 0], [1, 1, 1]), [9, 9, 9])).toBe(false);
  });
});

describe("the view", () => {
  const view = viewFrom(INITIAL_ORBIT, [0, 0, 0], [2, 1, 1], 800, 600);
  const project = (matrix: Float32Array, p: readonly number[]): number[] => [0, 1, 2, 3].map((row) => [0, 1, 2, 3].reduce((sum, k) => sum + (matrix[4 * k + row] as number) * (p[k] as number), 0));

  it("tells the distance of a point from its depth", () => {
    const [, , z = 0, w = 0] = project(view.matrix, [0.4, 0.7, 0.2, 1]);
    expect(view.depth[1] / (z / w + view.depth[0])).toBeCloseTo(w, 5);
    const along = [0.4, 0.7, 0.2].reduce((sum, value, axis) => sum + (value - (view.eye[axis] as number)) * (view.forward[axis] as number), 0);
    expect(along).toBeCloseTo(w, 5);
  });

  it("is inverted", () => {
    const back = project(inverse(view.matrix), project(view.matrix, [0.4, 0.7, 0.2, 1]));
    [0.4, 0.7, 0.2, 1].forEach((value, k) => expect(back[k]).toBeCloseTo(value, 4));
  });

  it("is drawn higher without other changes", () => {
    const lifted = viewFrom(INITIAL_ORBIT, [0, 0, 0], [2, 1, 1], 800, 600, 0.4);
    const [low, high] = [view, lifted].map((each) => boxEdges(each, [0, 0, 0], [2, 1, 1], 800, 600).flat());
    low?.forEach(([x, y], k) => {
      expect(high?.[k]?.[0]).toBeCloseTo(x, 3);
      expect(high?.[k]?.[1]).toBeCloseTo(y - 0.2 * 600, 3);
    });
  });
});

describe("the decoder of surfaces", () => {
  const surface = (level: number): Surface => ({ quantity: "speed", level, color: "", stride: 1, data: Uint8Array.of(level), histogram: null });
  const mesh = (level: number, bytes = 1): SurfaceMesh => ({
    positions: new Float32Array(0), normals: new Int16Array(0), triangles: new Uint32Array(bytes / 4), colors: null, lowestColor: 0, highestColor: 0, level,
  });
  const silent = { decoded: () => undefined, failed: () => undefined };
  const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

  it("decodes one surface at a time, and of each slot only the newest that waits", async () => {
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const decoder = new SurfaceDecoder((data) => new Promise((resolve) => {
      begun.push(data[0] as number);
      ends.push(() => resolve(mesh(data[0] as number)));
    }), silent);
    const [first, dropped, newest, other] = [1, 2, 3, 4].map(surface) as [Surface, Surface, Surface, Surface];
    expect(decoder.mesh(0, first)).toBeNull();
    decoder.mesh(0, dropped);
    decoder.mesh(0, newest);
    decoder.mesh(1, other);
    expect(begun).toEqual([1]);
    for (let k = 0; k < 3; k++) {
      ends[k]?.();
      await settled();
    }
    expect(begun).toEqual([1, 3, 4]);
    expect(decoder.mesh(0, newest)?.level).toBe(3);
  });

  it("reports a damaged surface once and goes on", async () => {
    const reasons: string[] = [];
    const decoder = new SurfaceDecoder((data) => (data[0] === 1 ? Promise.reject(new Error("damaged")) : Promise.resolve(mesh(2))), { ...silent, failed: (reason) => reasons.push(reason) });
    const [bad, good] = [surface(1), surface(2)];
    decoder.mesh(0, bad);
    await settled();
    decoder.mesh(0, bad);
    decoder.mesh(0, good);
    await settled();
    expect(reasons).toEqual(["damaged"]);
    expect(decoder.mesh(0, good)?.level).toBe(2);
  });

  it("forgets the surfaces that were used longest ago", async () => {
    const decoder = new SurfaceDecoder((data) => Promise.resolve(mesh(data[0] as number, 40e6)), silent);
    const all = [1, 2, 3].map(surface);
    for (const each of all) {
      decoder.mesh(0, each);
      await settled();
    }
    expect(all.map((each) => decoder.cached(each)?.level)).toEqual([undefined, 2, 3]);
  });
});
