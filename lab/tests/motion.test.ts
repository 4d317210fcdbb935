import { describe, expect, it } from "vitest";
import { locateParticle, nearestParticle } from "../src/canvas/pick";
import { BOTH, VALUES_PER_PARTICLE, vertexData, type Domain, FIRST, type Motion, matchParticles, positionOf, SECOND, valueOf } from "../src/layers/particles/motion";
import type { Codes, Particles } from "../src/stream/frame";

const box: Domain = { lower: [0, 0], upper: [4, 2], periodic: [false, false], maxExtrapolation: 0.1 };

function coded(values: readonly number[], low: number, high: number): Codes {
  const scale = (high - low) / 65535;
  return { data: Uint16Array.from(values, (value) => Math.round((value - low) / scale)), offset: low, scale, error: scale / 2, maxValueCode: 65535 };
}

type State = readonly [id: number, x: number, y: number, u: number, v: number];

function particles(...list: State[]): Particles {
  const column = (k: number): number[] => list.map((state) => state[k] as number);
  return {
    count: list.length, total: list.length, quantity: "speed", unit: "m/s",
    position: [coded(column(1), 0, 4), coded(column(2), 0, 2)],
    velocity: [coded(column(3), -8, 8), coded(column(4), -8, 8)],
    values: coded(column(0), 0, 65535),
    ids: BigInt64Array.from(list, ([id]) => BigInt(id)),
  };
}

function motion(before: Particles, after: Particles, blend: number, more: Partial<Motion> = {}): Motion {
  return { before, after, span: 1, blend, domain: box, ...more };
}

const along = (before: Particles, after: Particles, k: number, more: Partial<Motion> = {}): ((blend: number) => number[] | null) =>
  (blend) => positionOf(motion(before, after, blend, more), k);

describe("particles between frames", () => {
  it("are matched by id in any order", () => {
    const [before, after] = [particles([7, 1, 1, 0, 0], [-3, 2, 1, 0, 0], [2 ** 40, 3, 1, 0, 0]), particles([9, 1, 1, 0, 0], [2 ** 40, 3, 1, 0, 0], [7, 1, 1, 0, 0])];
    expect([...matchParticles(before, after).indexInSecond]).toEqual([2, -1, 1]);
    expect([...matchParticles(before, after).onlyInSecond]).toEqual([0]);
    const columns = vertexData(before, after);
    const which = Array.from({ length: 4 }, (_, k) => columns[VALUES_PER_PARTICLE * k + 7]);
    expect(which).toEqual([BOTH, FIRST, BOTH, SECOND]);
    expect(columns[8]).toBe(after.position[0]?.data[2]);
    expect(columns[3 * VALUES_PER_PARTICLE + 3 + 8]).toBe(9);
  });

  it("without ids belong to one frame only", () => {
    const [before, after] = [particles([1, 1, 1, 0, 0]), particles([1, 2, 1, 0, 0])].map((each) => ({ ...each, ids: new BigInt64Array(0) })) as [Particles, Particles];
    expect([...matchParticles(before, after).indexInSecond, ...matchParticles(before, after).onlyInSecond]).toEqual([-1, 0]);
  });

  it("are at the exact positions of a frame when it is displayed", () => {
    const [before, after] = [particles([1, 0.777, 1.234, 3, -2]), particles([1, 2.1, 0.3, 1, 1])];
    const exact = before.position.map((axis) => axis.offset + axis.scale * (axis.data[0] as number));
    expect(along(before, after, 0)(0)).toEqual(exact);
    expect(along(before, before, 0, { span: 0 })(0)).toEqual(exact);
    along(before, after, 0)(1)?.forEach((x, axis) => expect(x).toBeCloseTo([2.1, 0.3][axis] as number, 3));
  });

  it("follow a curved path without a jump, more accurately than by extrapolation", () => {
    const at = (angle: number): State => [1, 2 + 0.5 * Math.cos(angle), 1 + 0.5 * Math.sin(angle), -0.5 * Math.sin(angle), 0.5 * Math.cos(angle)];
    const way = along(particles(at(0)), particles(at(1)), 0);
    let worst = 0;
    let last = way(0) ?? [];
    for (let k = 1; k <= 200; k++) {
      const place = way(k / 200) ?? [];
      const [, x, y] = at(k / 200);
      worst = Math.max(worst, Math.hypot((place[0] as number) - x, (place[1] as number) - y));
      expect(Math.hypot((place[0] as number) - (last[0] as number), (place[1] as number) - (last[1] as number))).toBeLessThan(1.1 * 0.5 / 200);
      last = place;
    }
    expect(worst).toBeLessThan(0.003);
  });

  it("cross periodic sides as often as their velocity implies", () => {
    const round = { ...box, periodic: [true, false] };
    const once = along(particles([1, 3.9, 1, 0.4, 0]), particles([1, 0.3, 1, 0.4, 0]), 0, { domain: round });
    expect([0, 0.25, 0.5, 1].map((t) => Number(once(t)?.[0]?.toFixed(3)))).toEqual([3.9, 0, 0.1, 0.3]);
    const twice = along(particles([1, 1, 1, 8, 0]), particles([1, 1, 1, 8, 0]), 0, { domain: round });
    expect(twice(0.25)?.[0]).toBeCloseTo(3, 3);
  });

  it("leave and enter through open sides", () => {
    const [before, after] = [particles([1, 3.8, 1, 1, 0]), particles([2, 0.4, 1, 1, 0])];
    const [leaving, coming] = [along(before, after, 0), along(before, after, 1)];
    expect(leaving(0.1)?.[0]).toBeCloseTo(3.9, 3);
    expect(leaving(0.3)).toBeNull();
    expect(coming(0.5)).toBeNull();
    expect(coming(0.8)?.[0]).toBeCloseTo(0.2, 3);
  });

  it("that are removed or added inside the domain change halfway and move only a little", () => {
    const [before, after] = [particles([1, 1, 1, 2, 0]), particles([2, 2, 1, 1, 0])];
    const [gone, come] = [along(before, after, 0), along(before, after, 1)];
    expect(gone(0.01)?.[0]).toBeCloseTo(1.02, 3);
    expect(gone(0.49)?.[0]).toBeCloseTo(1 + box.maxExtrapolation, 3);
    expect(gone(0.51)).toBeNull();
    expect(come(0.49)).toBeNull();
    expect(come(0.51)?.[0]).toBeCloseTo(2 - box.maxExtrapolation, 3);
  });

  it("do not overshoot where frames are too far apart", () => {
    const way = along(particles([1, 1, 1, 8, 0]), particles([1, 1.1, 1, -8, 0]), 0);
    for (let t = 0; t <= 1; t += 0.05) expect(Math.abs((way(t)?.[0] as number) - 1)).toBeLessThan(0.3);
  });

  it("are picked and found at the drawn position, with the interpolated value", () => {
    const now = motion(particles([1, 1, 1, 1, 0], [5, 3.9, 1, 1, 0]), particles([9, 0.4, 1, 1, 0], [1, 2, 1, 1, 0]), 0.75);
    expect(nearestParticle(now, [1.75, 1], 0.05)).toBe(0);
    expect(nearestParticle(now, [1, 1], 0.05)).toBe(-1);
    expect(nearestParticle(now, [0.15, 1], 0.05)).toBe(2);
    expect(locateParticle(now, 9n)).toMatchObject({ quantity: "speed", unit: "m/s", value: 9 });
    expect(locateParticle(now, 9n)?.at[0]).toBeCloseTo(0.15, 3);
    expect(locateParticle(now, 5n)).toBeNull();
    expect(locateParticle(now, 77n)).toBeNull();
    expect(valueOf(motion(particles([4, 1, 1, 0, 0]), { ...particles([4, 1, 1, 0, 0]), values: coded([8], 0, 65535) }, 0.25), 0)).toBeCloseTo(5, 9);
  });
});
