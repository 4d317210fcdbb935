/** Steering: changes of the running simulation, each answered with the step at which it took effect. */

import { useState } from "preact/hooks";
import { present } from "../state/present";
import * as run from "../state/run";
import { type Action, command, refusal, sent } from "../state/steering";
import * as world from "../state/world";

export function Steer() {
  const sides = run.hello.value?.sides.filter((side) => side.type === "inflow") ?? [];
  const flat = run.hello.value?.dimensions === 2;
  const now = present.value;
  return (
    <div class="group" role="group" aria-label="Steer">
      <h2>Steer the running flow</h2>
      {sides.map((side) => (
        <One
          key={side.name}
          name="inflow"
          label={`inflow ${side.name}`}
          unit="m/s"
          now={now?.inflows[side.name]}
          hint="A speed, or a formula"
          make={(text) => ({ case: "inflow", value: { $typeName: "eddyline.stream.Inflow", opening: side.name, velocity: [text] } })}
        />
      ))}
      <One
        name="viscosity"
        label="viscosity"
        unit="m²/s"
        now={now?.viscosity}
        hint="A number, or a formula such as U*D/50"
        make={(text) => ({ case: "viscosity", value: { $typeName: "eddyline.stream.Viscosity", value: text } })}
      />
      <One
        name="gravity"
        label="gravity"
        unit="m/s²"
        now={now?.gravity}
        hint={`A number for each axis: ${flat ? "0, -9.81" : "0, -9.81, 0"}`}
        make={(text) => ({
          case: "gravity",
          value: { $typeName: "eddyline.stream.Gravity", value: text.split(",").map((part) => part.trim()) },
        })}
      />
      {flat && <p class="note">Drag a body on the canvas to move it. {bodyNote()}</p>}
      <ul class="sent" aria-live="polite">
        {sent.value
          .filter((item) => !["pause", "resume", "step", "stop"].includes(item.what))
          .slice(0, 5)
          .map((item) => (
            <li key={item.id} class={item.answer?.refusal ? "refused" : ""}>
              <span>{item.what}</span>
              <span>{!item.answer ? "sent …" : item.answer.refusal ? "refused" : `step ${item.answer.step.toLocaleString("en")}`}</span>
              {item.answer?.refusal && <small>{item.answer.refusal}</small>}
            </li>
          ))}
      </ul>
    </div>
  );
}

function bodyNote(): string {
  return world.drawing.value?.bodies.length === 0 ? "There is none." : refusal("move_body");
}

interface OneOf {
  readonly name: string;
  readonly label: string;
  readonly unit: string;
  /** The value of now. */
  readonly now: string | undefined;
  readonly hint: string;
  readonly make: (text: string) => Action;
}

function One({ name, label, unit, now, hint, make }: OneOf) {
  const [text, setText] = useState("");
  const why = refusal(name);
  const id = `steer-${label.replaceAll(" ", "-")}`;
  return (
    <form
      class="field"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim()) void command(make(text.trim())).then((done) => done && setText(""));
      }}
    >
      <label for={id}>
        {label} <small class="unit">{unit}</small>
      </label>
      <span class="many">
        <input id={id} type="text" class="formula" value={text} disabled={why !== ""} placeholder={why ? "not in this run" : now === undefined ? "" : `now ${now}`} title={why || `${now === undefined ? "" : `Now ${now}. `}${hint}`} onInput={(event) => setText(event.currentTarget.value)} />
        <button type="submit" class="button small" style={{ flex: "none" }} disabled={why !== "" || !text.trim()}>
          Apply
        </button>
      </span>
    </form>
  );
}
