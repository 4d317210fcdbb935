import { describe, expect, it } from "vitest";
import { HubClock } from "../src/stream/clock";

describe("the clock of the hub", () => {
  it("is unknown at first", () => {
    expect(new HubClock().at(5)).toBeNull();
  });

  it("is estimated from ticks, which are late", () => {
    const clock = new HubClock();
    clock.hear(100, 10.4);
    clock.hear(101, 11.1);
    clock.hear(102, 12.3);
    expect(clock.at(20)).toBeCloseTo(109.9, 9);
  });

  it("is more exact after a ping, without the time that the ping spent at the hub", () => {
    const clock = new HubClock();
    clock.hear(100, 10.4);
    // the hub is 90 s ahead; 40 ms each way, and 20 ms at the hub
    expect(clock.measure({ sent: 11, received: 101.04, returned: 101.06 }, 11.1)).toBeCloseTo(0.08, 9);
    expect(clock.at(20)).toBeCloseTo(110, 9);
  });

  it("uses the fastest ping: a slow one is delayed more on one way", () => {
    const clock = new HubClock();
    clock.measure({ sent: 11, received: 101.04, returned: 101.04 }, 11.08);
    expect(clock.measure({ sent: 13, received: 103.04, returned: 103.04 }, 14)).toBeCloseTo(1, 9);
    expect(clock.at(20)).toBeCloseTo(110, 9);
  });
});
