/** The outcome of the displayed run. */

import { computed } from "@preact/signals";
import * as run from "./run";
import { runs } from "./runs";

export interface Outcome {
  readonly name: string;
  /** The reason, if the server reports one. */
  readonly message: string;
}

/** The outcome of a run that has ended; null before. While the last files of the run are being written, the server still
 * calls it "running"; its final state is then taken from the list of runs. */
export const outcome = computed<Outcome | null>(() => {
  const ended = run.ended.value;
  if (!ended) return null;
  const listed = ended.outcome === "running" && runs.value.find(({ id }) => id === run.runId.value);
  return listed ? { name: listed.state, message: listed.message } : { name: ended.outcome, message: ended.message };
});

export interface UnfinishedOutcome {
  readonly chip: "bad" | "warn";
  /** Shown if the server reports no reason. */
  readonly reason: string;
}

const UNFINISHED: Readonly<Record<string, UnfinishedOutcome>> = {
  failed: { chip: "bad", reason: "No reason was recorded." },
  lost: { chip: "bad", reason: "The process of the run ended unexpectedly." },
  "stopped by user": { chip: "warn", reason: "The run was stopped before its end. `eddyline resume RUN` continues it." },
  "not closed": {
    chip: "warn",
    reason: "The run was computed, but its results, pictures or report were not written. `eddyline resume RUN` completes it.",
  },
};

/** Display of the outcome of a run that did not finish regularly; null for any other state. */
export function unfinished(name: string): UnfinishedOutcome | null {
  return UNFINISHED[name] ?? null;
}
