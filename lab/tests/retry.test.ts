import { describe, expect, it } from "vitest";
import { RequestGate } from "../src/api/retry";

describe("request gate", () => {
  it("allows each key once at a time and limits the number of requests", () => {
    const gate = new RequestGate(2);
    expect(["a", "a", "b", "c"].map((key) => gate.begin(key, 0))).toEqual([true, false, true, false]);
    gate.end("a");
    expect(["c", "a"].map((key) => gate.begin(key, 0))).toEqual([true, false]);
  });

  it("never retries after a permanent failure", () => {
    for (const status of [404, 422]) {
      const gate = new RequestGate(2);
      expect(gate.begin("a", 0)).toBe(true);
      expect(gate.fail("a", status, 0)).toBeNull();
      expect(gate.begin("a", 1e9)).toBe(false);
    }
  });

  it("retries with growing delays after other failures", () => {
    const gate = new RequestGate(1);
    let now = 0;
    const pauses = [0, 500, 429, 409, 0, 0].map((status) => {
      expect(gate.begin("a", now)).toBe(true);
      const pause = gate.fail("a", status, now) ?? Infinity;
      expect(gate.begin("a", now + pause - 1)).toBe(false);
      now += pause;
      return pause;
    });
    expect(pauses).toEqual([1000, 2000, 4000, 8000, 10_000, 10_000]);
    expect(gate.begin("a", now)).toBe(true);
    gate.end("a");
    expect(gate.begin("a", now)).toBe(true);
    expect(gate.fail("a", 0, now)).toBe(1000);
  });
});
