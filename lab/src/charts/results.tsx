/** What the run says of its own numbers: since when they can be trusted, and what they are. */

import * as run from "../state/run";

export function Results() {
  const words = run.progress.value?.outlook;
  const reason = run.steered.value;
  return (
    <span class="outlook" role="status">
      {words}
      {reason && <span class="chip warn">steered at {reason.time.toFixed(2)} s</span>}
    </span>
  );
}
