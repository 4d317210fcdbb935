/** Values of a run with their errors and windows, beside what was published. */

import { useState } from "preact/hooks";
import { short } from "../colors/scale";
import * as run from "../state/run";
import { type Expected, results, type Value } from "../state/results";
import { stale } from "../state/runs";

const SHOWN = /\.(strouhal|mean|max|amplitude)$/;
const MOST = 8;

export function ResultsCard() {
  const found = results.value;
  const [all, setAll] = useState(false);
  if (run.kind.value !== "run" || stale.value || !found || found.values.length + found.expectations.length + found.warnings.length === 0) return null;
  const values = found.values.filter((value) => SHOWN.test(value.name) && value.value !== null && value.value !== undefined);
  const waiting = new Set(found.values.filter((value) => value.value === null || value.value === undefined).map(({ name, note }) => `${bodyOf(name)}: ${note}`));
  return (
    <div class="group results" role="group" aria-label="Results">
      <h2>{run.ended.value ? "Results" : "Results so far"}</h2>
      {values.length === 0 && [...waiting].slice(0, MOST).map((note) => <p class="note" key={note}>{note}</p>)}
      {found.warnings.map((words) => (
        <p class="warning" key={words}>
          {words}
        </p>
      ))}
      {values.slice(0, all ? values.length : MOST).map((value) => (
        <Row key={value.name} value={value} />
      ))}
      {values.length > MOST && (
        <button type="button" class="button small" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? "Fewer" : `${values.length - MOST} more`}
        </button>
      )}
      {found.expectations.map((expected) => (
        <Against key={expected.quantity + expected.expected} expected={expected} />
      ))}
    </div>
  );
}

/** "cylinder" of "cylinder.strouhal" and of "force.cylinder.total_x.mean". */
function bodyOf(name: string): string {
  return name.replace(/^force\./, "").split(".")[0] ?? "";
}

/** "cylinder.drag_coefficient.max" as "cylinder: drag coefficient, max". */
function words(name: string): string {
  const [body = "", ...rest] = name.split(".");
  return rest.length === 0 ? body : `${body}: ${rest.join(", ").replaceAll("_", " ")}`;
}

function Row({ value }: { value: Value }) {
  const window = value.window ? `${value.what}, ${short(value.window[0] ?? 0)}–${short(value.window[1] ?? 0)} s` : value.what;
  return (
    <div class="result" title={value.note || window}>
      <span>{words(value.name)}</span>
      <b>
        {short(value.value ?? Number.NaN, 4)}
        {value.error ? <small> ± {short(value.error, 2)}</small> : null}
        {value.unit !== "1" && <small> {value.unit}</small>}
      </b>
      <small class="window">{window}</small>
    </div>
  );
}

/** Whether it lies inside the published band; said in words, too. */
function Against({ expected }: { expected: Expected }) {
  const steered = run.steered.value;
  const judged = expected.measured !== null && expected.measured !== undefined && expected.inside !== null && expected.inside !== undefined;
  const verdict = steered ? "steered" : !judged ? "not yet" : expected.inside ? "inside" : "outside";
  const isWholeCurve = expected.kind === "curve" && (expected.at === null || expected.at === undefined); // its words name the paper
  const kind = steered || !judged ? "" : expected.inside ? "good" : "warn";
  const why = steered ? `Steered at ${steered.time.toFixed(2)} s: no longer comparable.` : expected.reason || (judged ? "" : expected.note);
  return (
    <div class="against">
      <span>{words(expected.quantity)}</span>
      <span class={`chip ${kind}`}>{verdict}</span>
      <small>
        {judged && <b>{expected.measured_text.replace("+-", "±")}</b>} {expected.expected_text}
        {!isWholeCurve && expected.paper && ` (${expected.paper})`}
        {why && <> · {why}</>}
      </small>
    </div>
  );
}
