/** Bodies of the run where they are at the moment that is shown. */

import { computed } from "@preact/signals";
import { bodiesAt } from "../stream/bodies";
import type { Body } from "../stream/stream_pb";
import { following } from "./playback";
import * as run from "./run";
import { shownFrame } from "./view";

/** Whether the picture is that of now: then a body on it can be pulled to another place. */
export const showsNow = computed(() => following.value && run.isLive.value);

export const shownBodies = computed<readonly Body[]>(() => {
  const frame = shownFrame.value;
  if (run.kind.value !== "run" || !frame || showsNow.value) return run.bodies.value;
  return bodiesAt(run.hello.value?.bodies ?? [], frame.bodies);
});
