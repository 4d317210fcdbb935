/** The connection to a live run: round trip, age of the picture, and whether the run can be steered. */

import { computed, signal } from "@preact/signals";
import { following } from "./playback";
import { connectionState, isLive, isPaused, latestFrame } from "./run";

const SILENCE_LIMIT = 5; // s without any message; the hub sends several per second
const INTERVAL = 500; // ms between two looks at the clock

/** Latest round trip of a message to the server and back [s]; null before the first one. */
export const roundTrip = signal<number | null>(null);
const lastHeard = signal(0); // local time [s]
const now = signal(0);

let hubTime: () => number | null = () => null;
/** Sets the function that tells the time of the hub [s]. */
export function setHubTime(next: typeof hubTime): void {
  hubTime = next;
  roundTrip.value = null;
  lastHeard.value = now.value = performance.now() / 1000;
}

setInterval(() => {
  if (isLive.value) now.value = performance.now() / 1000;
}, INTERVAL);

/** Notes that a message has arrived. */
export function hear(trip: number | null): void {
  lastHeard.value = performance.now() / 1000;
  if (trip !== null) roundTrip.value = trip;
}

/** Time since the displayed picture was made [s]; null if it is not the latest one of a running simulation. */
export const pictureAge = computed(() => {
  now.value;
  const madeAt = latestFrame.value?.madeAt ?? 0;
  const time = hubTime();
  return !isLive.value || isPaused.value || !following.value || madeAt === 0 || time === null ? null : Math.max(0, time - madeAt);
});

/** The reason why a live run cannot be steered now; empty if it can. */
export const linkProblem = computed(() => {
  if (!isLive.value) return "";
  if (connectionState.value !== "open") return "The connection to the run is lost. Commands are not sent until it is back.";
  const silence = now.value - lastHeard.value;
  return silence > SILENCE_LIMIT ? `The run has not answered for ${Math.round(silence)} s. Commands are not sent until it does.` : "";
});
