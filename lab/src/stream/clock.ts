/** An estimate of the hub's clock, and of the round trip of messages. */

import type { Ping } from "./stream_pb";

export class HubClock {
  private shortestRoundTrip = Infinity;
  /** Clock of the hub minus local clock [s], from the ping with the shortest round trip, which is the most exact. */
  private offset: number | null = null;
  /** The same from ticks, which arrive late: too low by the shortest delay. */
  private offsetOfTicks = -Infinity;

  /** Takes a returned ping; returns its round trip [s], without the time that it spent at the hub. */
  measure({ sent, received, returned }: Pick<Ping, "sent" | "received" | "returned">, now: number): number {
    const roundTrip = Math.max(0, now - sent - (returned - received));
    if (roundTrip <= this.shortestRoundTrip) {
      this.shortestRoundTrip = roundTrip;
      this.offset = (received - sent + (returned - now)) / 2;
    }
    return roundTrip;
  }

  /** Takes a tick of the hub. */
  hear(clock: number, now: number): void {
    this.offsetOfTicks = Math.max(this.offsetOfTicks, clock - now);
  }

  /** The time of the hub at a local time [s]; null while it is unknown. */
  at(now: number): number | null {
    const offset = this.offset ?? this.offsetOfTicks;
    return offset === -Infinity ? null : now + offset;
  }
}
