/** Outcomes of runs that did not finish regularly. */

export interface UnfinishedOutcome {
  readonly chip: "bad" | "warn";
  /** Shown if the server reports no reason. */
  readonly reason: string;
}

const UNFINISHED: Readonly<Record<string, UnfinishedOutcome>> = {
  failed: { chip: "bad", reason: "No reason was recorded." },
  lost: { chip: "bad", reason: "The process of the run ended unexpectedly." },
  "not closed": {
    chip: "warn",
    reason: "The run was computed, but its results, pictures or report were not written. `eddyline resume RUN` completes it.",
  },
};

/** How to show an outcome; null for a run that is running, finished, or stopped by the user. */
export function unfinished(outcome: string): UnfinishedOutcome | null {
  return UNFINISHED[outcome] ?? null;
}
