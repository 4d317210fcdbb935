/** The state of the connection to a live run. */

import { linkProblem, pictureAge, roundTrip } from "../state/link";
import * as run from "../state/run";
import { formatDuration } from "./format";

/** Age of the picture and round trip of a live run, or why it cannot be steered. */
export function LinkState() {
  const [problem, age, trip] = [linkProblem.value, pictureAge.value, roundTrip.value];
  if (!run.isLive.value || (!problem && trip === null)) return null;
  if (problem) {
    return (
      <span class="link-state chip warn" role="status" title={problem}>
        No answer
      </span>
    );
  }
  return (
    <span class="link-state" title="Age of the picture, and time of a message to the server and back">
      {age !== null && <>{formatAge(age)} old · </>}
      {Math.round(1000 * (trip ?? 0))} ms
    </span>
  );
}

/** An age [s], e.g. "0.2 s". */
function formatAge(age: number): string {
  return age < 10 ? `${age.toFixed(1)} s` : formatDuration(age);
}
