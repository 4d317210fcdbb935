import { describe, expect, it } from "vitest";
import { RequestGate } from "../src/api/retry";

describe("what is asked for", () => {
  it("is asked for once at a time, and not too much at once", () => {
    const asking = new RequestGate(2);
    expect(["a", "a", "b", "c"].map((key) => asking.begin(key, 0))).toEqual([true, false, true, false]);
    asking.end("a");
    expect(["c", "a"].map((key) => asking.begin(key, 0))).toEqual([true, false]);
  });

  it("is not asked for again if it is not there", () => {
    for (const status of [404, 422]) {
      const asking = new RequestGate(2);
      expect(asking.begin("a", 0)).toBe(true);
      expect(asking.fail("a", status, 0)).toBeNull();
      expect(asking.begin("a", 1e9)).toBe(false);
    }
  });

  it("is asked for again, less and less often, if nobody answered or the server had no time for it", () => {
    const asking = new RequestGate(1);
    let now = 0;
    const pauses = [0, 500, 429, 409, 0, 0].map((status) => {
      expect(asking.begin("a", now)).toBe(true);
      const pause = asking.fail("a", status, now) ?? Infinity;
      expect(asking.begin("a", now + pause - 1)).toBe(false);
      now += pause;
      return pause;
    });
    expect(pauses).toEqual([1000, 2000, 4000, 8000, 10_000, 10_000]);
    expect(asking.begin("a", now)).toBe(true);
    asking.end("a");
    expect(asking.begin("a", now)).toBe(true);
    expect(asking.fail("a", 0, now)).toBe(1000);
  });
});
