/** Bodies of the run at the displayed time. */

import { computed } from "@preact/signals";
import { interpolateBodies, bodiesAt } from "../stream/bodies";
import type { Body } from "../stream/stream_pb";
import { following } from "./playback";
import * as run from "./run";
import { blend, nextFrame, shownFrame } from "./view";

/** True if the latest frame of a live run is shown; only then can a body be dragged to another place. */
export const showsPresent = computed(() => following.value && run.isLive.value);

/** True if a body of the file is still in the displayed run and was not moved. */
export function isAsInFile(name: string): boolean {
  return run.bodies.value.some((body) => body.name === name && !body.moves);
}

/** The bodies to draw. In a live view, newly added bodies appear even before a frame contains them. */
export const shownBodies = computed<readonly Body[]>(() => {
  const frame = shownFrame.value;
  if (run.kind.value !== "run" || !frame) return run.bodies.value;
  const first = run.hello.value?.bodies ?? [];
  const before = bodiesAt(first, frame.bodies);
  const after = bodiesAt(first, (nextFrame.value ?? frame).bodies);
  return interpolateBodies(showsPresent.value ? run.bodies.value : before, before, after, blend.value);
});
