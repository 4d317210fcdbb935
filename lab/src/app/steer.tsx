/** Steering: changes of the running simulation and the steps at which they were applied. */

import { useState } from "preact/hooks";
import { currentValues } from "../state/current";
import { linkProblem } from "../state/link";
import * as run from "../state/run";
import { type Action, sendCommand, refusalOf, refusalText, sentCommands } from "../state/steering";

export function Steer() {
  const sides = run.hello.value?.sides.filter((side) => side.type === "inflow") ?? [];
  const is2d = run.hello.value?.dimensions === 2;
  const current = currentValues.value;
  const missing = [...(sides.length > 0 ? ["inflow"] : []), "viscosity", "gravity"].filter((name) => refusalOf(name) !== "");
  const notes = new Set(missing.map((name) => refusalText(refusalOf(name))));
  if (is2d) notes.add(bodyNote());
  return (
    <div class="group" role="group" aria-label="Steer">
      <h2>Steering</h2>
      {!missing.includes("inflow") && sides.map((side) => (
        <SteeringField
          key={side.name}
          name="inflow"
          label={`inflow ${side.name}`}
          unit="m/s"
          current={current?.inflows[side.name]}
          hint="A speed or a formula"
          make={(text) => ({ case: "inflow", value: { $typeName: "eddyline.stream.Inflow", opening: side.name, velocity: [text] } })}
        />
      ))}
      {!missing.includes("viscosity") && (
        <SteeringField
          name="viscosity"
          label="viscosity"
          unit="m²/s"
          current={current?.viscosity}
          hint="A number or a formula, e.g. U*D/50"
          make={(text) => ({ case: "viscosity", value: { $typeName: "eddyline.stream.Viscosity", value: text } })}
        />
      )}
      {!missing.includes("gravity") && (
        <SteeringField
          name="gravity"
          label="gravity"
          unit="m/s²"
          current={current?.gravity}
          hint={`One number per axis: ${is2d ? "0, -9.81" : "0, -9.81, 0"}`}
          make={(text) => ({
            case: "gravity",
            value: { $typeName: "eddyline.stream.Gravity", value: text.split(",").map((part) => part.trim()) },
          })}
        />
      )}
      {run.hello.value?.parameters.map((each) => (
        <SteeringField
          key={each.name}
          name="parameter"
          label={each.name}
          unit={each.unit}
          current={run.marks.value.findLast((mark) => mark.parameter === each.name)?.value ?? each.value}
          hint={`${each.description ? `${each.description}. ` : ""}A number or a formula`}
          make={(text) => ({ case: "parameter", value: { $typeName: "eddyline.stream.Parameter", name: each.name, value: text } })}
        />
      ))}
      {[...notes].map((note) => (
        <p class="note" key={note}>
          {note}
        </p>
      ))}
      <ul class="sent-commands" aria-live="polite">
        {sentCommands.value
          .filter((item) => !["pause", "resume", "step", "stop"].includes(item.text))
          .slice(0, 5)
          .map((item) => (
            <li key={item.id} class={item.answer?.refusal ? "refused" : ""}>
              <span>{item.text}</span>
              <span>{!item.answer ? "sent …" : item.answer.refusal ? "refused" : `step ${item.answer.step.toLocaleString("en")}`}</span>
              {item.answer?.refusal && <small>{item.answer.refusal}</small>}
            </li>
          ))}
      </ul>
    </div>
  );
}

/** A note on moving and adding bodies, or the reason why that is refused. */
function bodyNote(): string {
  const refusal = refusalOf("move_body");
  if (refusal) return refusalText(refusal);
  return run.bodies.value.length > 0 ? "Drag a body on the canvas to move it." : "Draw a body on the canvas to add it.";
}

interface SteeringFieldProps {
  readonly name: string;
  readonly label: string;
  readonly unit: string;
  /** The current value. */
  readonly current: string | undefined;
  readonly hint: string;
  readonly make: (text: string) => Action;
}

function SteeringField({ name, label, unit, current, hint, make }: SteeringFieldProps) {
  const [text, setText] = useState("");
  const disabledReason = refusalOf(name) || linkProblem.value;
  const id = `steer-${label.replaceAll(" ", "-")}`;
  return (
    <form
      class="field"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim()) void sendCommand(make(text.trim())).then((done) => done && setText(""));
      }}
    >
      <label for={id}>
        {label} <small class="unit">{unit}</small>
      </label>
      <span class="many">
        <input id={id} type="text" class="formula" value={text} disabled={disabledReason !== ""} placeholder={disabledReason ? "not available" : current === undefined ? "" : `current: ${current}`} title={disabledReason || `${current === undefined ? "" : `Current value: ${current}. `}${hint}`} onInput={(event) => setText(event.currentTarget.value)} />
        <button type="submit" class="button small" style={{ flex: "none" }} disabled={disabledReason !== "" || !text.trim()}>
          Apply
        </button>
      </span>
    </form>
  );
}
