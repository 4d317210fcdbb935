/** Status of the run above the charts: Strouhal number, steering, and convergence of the results. */

import { formatNumber } from "../colors/scale";
import { results } from "../state/results";
import * as run from "../state/run";

export function RunStatus() {
  const forecast = run.ended.value ? "" : run.progress.value?.outlook; // after the end, the results replace it
  const firstSteering = run.firstSteering.value;
  const strouhal = results.value?.values.find((value) => value.name.endsWith(".strouhal") && value.value !== null);
  return (
    <span class="forecast" role="status" title={forecast}>
      {strouhal?.value !== null && strouhal?.value !== undefined && (
        <b>
          St {formatNumber(strouhal.value, 3)}
          {strouhal.error ? ` ± ${formatNumber(strouhal.error, 2)}` : ""}
        </b>
      )}{" "}
      {firstSteering && <span class="chip warn">steered at {firstSteering.time.toFixed(2)} s</span>} {forecast}
    </span>
  );
}
