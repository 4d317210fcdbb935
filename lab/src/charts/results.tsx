/** Since when the numbers of the run can be trusted, the Strouhal number, and whether it was steered. */

import { short } from "../colors/scale";
import { results } from "../state/results";
import * as run from "../state/run";

export function Results() {
  const words = run.ended.value ? "" : run.progress.value?.outlook; // results say the rest, once there are all
  const reason = run.steered.value;
  const strouhal = results.value?.values.find((value) => value.name.endsWith(".strouhal") && value.value !== null);
  return (
    <span class="outlook" role="status">
      {strouhal?.value !== null && strouhal?.value !== undefined && (
        <b>
          St {short(strouhal.value, 3)}
          {strouhal.error ? ` ± ${short(strouhal.error, 2)}` : ""}
        </b>
      )}{" "}
      {reason && <span class="chip warn">steered at {reason.time.toFixed(2)} s</span>} {words}
    </span>
  );
}
