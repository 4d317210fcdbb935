/** Results of a run with their errors and averaging windows, compared with published values. */

import { useState } from "preact/hooks";
import { formatNumber } from "../colors/scale";
import * as run from "../state/run";
import { type Expected, results, type Value } from "../state/results";
import { isStale } from "../state/runs";

const SHOWN = /\.(strouhal|mean|max|amplitude)$/;
const MAX_SHOWN = 8;

export function ResultsCard() {
  const found = results.value;
  const [all, setAll] = useState(false);
  if (run.kind.value !== "run" || isStale.value || !found || found.values.length + found.expectations.length + found.warnings.length === 0) return null;
  const values = found.values.filter((value) => SHOWN.test(value.name) && value.value !== null && value.value !== undefined);
  const waiting = new Set(found.values.filter((value) => value.value === null || value.value === undefined).map(({ name, note }) => `${bodyOf(name)}: ${note}`));
  return (
    <div class="group results" role="group" aria-label="Results">
      <h2>{run.ended.value ? "Results" : "Results so far"}</h2>
      {values.length === 0 && [...waiting].slice(0, MAX_SHOWN).map((note) => <p class="note" key={note}>{note}</p>)}
      {found.warnings.map((warning) => (
        <p class="warning" key={warning}>
          {warning}
        </p>
      ))}
      {values.slice(0, all ? values.length : MAX_SHOWN).map((value) => (
        <Row key={value.name} value={value} />
      ))}
      {values.length > MAX_SHOWN && (
        <button type="button" class="button small" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? "Show fewer" : `Show ${values.length - MAX_SHOWN} more`}
        </button>
      )}
      {found.expectations.map((expected) => (
        <Comparison key={expected.quantity + expected.expected} expected={expected} />
      ))}
    </div>
  );
}

/** Text of the server with the signs and the numbers of this page: "±", "1e−5". */
function typeset(text: string): string {
  return text.replaceAll("+-", "±").replace(/e-0?(\d)/g, "e−$1").replace(/e\+0?(\d)/g, "e$1");
}

/** The body of a result: "cylinder" for "cylinder.strouhal" and "force.cylinder.total_x.mean". */
function bodyOf(name: string): string {
  return name.replace(/^force\./, "").split(".")[0] ?? "";
}

/** A readable name: "cylinder: drag coefficient, max" for "cylinder.drag_coefficient.max". */
function readableName(name: string): string {
  const [body = "", ...rest] = name.split(".");
  return rest.length === 0 ? body : `${body}: ${rest.join(", ").replaceAll("_", " ").replace("strouhal", "Strouhal number")}`;
}

function Row({ value }: { value: Value }) {
  const window = value.window ? `${value.what}, ${formatNumber(value.window[0] ?? 0)}–${formatNumber(value.window[1] ?? 0)} ${run.timeUnit.value}` : value.what;
  return (
    <div class="result" title={value.note || window}>
      <span>{readableName(value.name)}</span>
      <b>
        {formatNumber(value.value ?? Number.NaN, 4)}
        {value.error ? <small> ± {formatNumber(value.error, 2)}</small> : null}
        {value.unit !== "1" && <small> {value.unit}</small>}
      </b>
      <small class="window">{window}</small>
    </div>
  );
}

/** A comparison with a published value, as text and colour. */
function Comparison({ expected }: { expected: Expected }) {
  const steered = run.firstSteering.value;
  const isCompared = expected.measured !== null && expected.measured !== undefined && expected.inside !== null && expected.inside !== undefined;
  const verdict = steered ? "steered" : !isCompared ? (run.ended.value ? "no value" : "not available yet") : expected.inside ? "inside" : "outside";
  const isWholeCurve = expected.kind === "curve" && (expected.at === null || expected.at === undefined); // the text already names the paper
  const chipClass = steered || !isCompared ? "" : expected.inside ? "good" : "warn";
  const reason = steered ? `Steered at ${steered.time.toFixed(2)} s: no longer comparable with published values.` : expected.reason || (isCompared ? "" : expected.note);
  return (
    <div class="comparison">
      <span>{readableName(expected.quantity)}</span>
      <span class={`chip ${chipClass}`}>{verdict}</span>
      <small>
        {isCompared && <b>{typeset(expected.measured_text)}</b>} {typeset(expected.expected_text)}
        {!isWholeCurve && expected.paper && ` (${expected.paper})`}
        {reason && <> · {reason}</>}
      </small>
    </div>
  );
}
