/** Particles that commands have added to the series of the run. */

import { computed } from "@preact/signals";
import * as run from "./run";

/** Names of the series of the tracked particles, by id. */
export const trackedNames = computed<ReadonlyMap<string, string>>(() => {
  const names = new Map<string, string>();
  for (const mark of run.marks.value) {
    if (mark.command === "track") names.set(mark.value, mark.observer);
    if (mark.command === "untrack") for (const [id, name] of names) if (name === mark.observer) names.delete(id);
  }
  return names;
});
