/** Bodies of the run where they are at the moment that is shown. */

import { computed } from "@preact/signals";
import { between, bodiesAt } from "../stream/bodies";
import type { Body } from "../stream/stream_pb";
import { following } from "./playback";
import * as run from "./run";
import { blend, nextFrame, shownFrame } from "./view";

/** Whether the picture is that of now: then a body on it can be pulled to another place. */
export const showsNow = computed(() => following.value && run.isLive.value);

/** Whether the run that is shown has a body of the file, and where the file has it: neither moved nor taken away. */
export function standsAsDrawn(name: string): boolean {
  return run.bodies.value.some((body) => body.name === name && !body.moves);
}

/** Of now those that are there, also if no frame has told of them yet. */
export const shownBodies = computed<readonly Body[]>(() => {
  const frame = shownFrame.value;
  if (run.kind.value !== "run" || !frame) return run.bodies.value;
  const first = run.hello.value?.bodies ?? [];
  const before = bodiesAt(first, frame.bodies);
  const after = bodiesAt(first, (nextFrame.value ?? frame).bodies);
  return between(showsNow.value ? run.bodies.value : before, before, after, blend.value);
});
