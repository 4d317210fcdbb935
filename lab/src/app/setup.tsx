/** The world in fields: what is chosen, what it will cost, what may be steered. */

import { useState } from "preact/hooks";
import type { Plain } from "../api/types";
import { numberAt, numbersAt } from "../api/types";
import { sentence } from "../api/client";
import { short } from "../colors/scale";
import { remove } from "../draw/drawing";
import * as run from "../state/run";
import { stale } from "../state/runs";
import * as world from "../state/world";
import { Icon } from "./icons";
import { ResultsCard } from "./results";
import { tab } from "./right";
import { gallery, lesson, openGallery } from "./screens";
import { Steer } from "./steer";
import { proposals } from "./proposals";
import { bytes, duration } from "./words";
import { jumpTo } from "./file";

export function Setup() {
  const isWatched = run.isLive.value && !stale.value;
  return (
    <div class="setup scroll">
      <Problems />
      {isWatched && <Lesson />}
      {isWatched && <Steer />}
      <ResultsCard />
      <Chosen />
      <AddByNumbers />
      {!isWatched && <Lesson />}
      <Facts />
      <Gallery />
    </div>
  );
}

function Problems() {
  const problems = world.problems.value;
  if (problems.length === 0) return null;
  return (
    <div class="group" role="alert">
      <h2>{problems.length === 1 ? "One thing to mend" : `${problems.length} things to mend`}</h2>
      {problems.map((problem) => (
        <button
          key={sentence(problem)}
          type="button"
          class="problem"
          onClick={() => {
            tab.value = "file";
            if (problem.line) jumpTo(problem.line);
          }}
        >
          {sentence(problem)}
        </button>
      ))}
    </div>
  );
}

const SKIPPED = new Set(["shape", "motion", "type"]);

/** Parameters of what is chosen, as written: numbers or formulas. */
function Chosen() {
  const key = world.selected.value;
  const plan = world.drawing.value;
  if (!key || !plan) return null;
  const [part = "", ...rest] = key.split(".");
  const name = rest.join(".");
  const list = { bodies: plan.bodies, regions: plan.regions, observe: plan.observers }[part];
  const item = list?.find((each) => each.name === name);
  if (!item) return null;
  const kind = "shape" in item ? item.shape : item.type;
  return (
    <div class="group" aria-label={`Parameters of ${name}`} role="group">
      <h2>
        {name} {kind !== name && <span class="note">{kind.replace("_", " ")}</span>}
      </h2>
      {Object.entries(item.written)
        .filter(([entry]) => !SKIPPED.has(entry))
        .map(([entry, value]) => (
          <Entry key={`${key} ${entry}`} path={[part, name, entry]} name={entry} written={value} numbers={item.numbers} />
        ))}
      <div class="row">
        <button type="button" class="button small" onClick={() => void remove(key)}>
          <Icon name="trash" /> Remove
        </button>
      </div>
    </div>
  );
}

const METRES = new Set(["center", "diameter", "size", "min", "max", "from", "to", "thickness", "points", "position"]);
const UNITS: Record<string, string> = { angle: "°", density: "kg/m³", velocity: "m/s" };

function unitOf(name: string): string {
  return METRES.has(name) ? "m" : (UNITS[name] ?? "");
}

function Unit({ of }: { of: string }) {
  return of ? <small class="unit">{of}</small> : null;
}

function Entry({ path, name, written, numbers }: { path: readonly string[]; name: string; written: unknown; numbers: Record<string, unknown> }) {
  const label = name.replaceAll("_", " ");
  if (typeof written === "boolean") {
    return (
      <div class="field">
        <label for={path.join("-")}>{label}</label>
        <input id={path.join("-")} type="checkbox" style={{ justifySelf: "start" }} checked={written} onChange={(event) => void world.edit([{ op: "set", path, value: event.currentTarget.checked }])} />
      </div>
    );
  }
  if (Array.isArray(written) && written.every((item) => typeof item === "number" || typeof item === "string")) {
    const values = numbersAt(numbers, name, 1);
    return (
      <div class="field">
        <span class="name">
          {label} <Unit of={unitOf(name)} />
        </span>
        <span class="many">
          {written.map((item: number | string, k) => (
            <FormulaField key={k} label={`${label} ${"xyz"[k] ?? k}`} written={item} value={values?.[k] ?? null} path={[...path, k]} />
          ))}
        </span>
      </div>
    );
  }
  if (typeof written === "number" || typeof written === "string") {
    return (
      <div class="field">
        <span class="name">
          {label} <Unit of={numberAt(numbers, name) === null && typeof written === "string" ? "" : unitOf(name)} />
        </span>
        <FormulaField label={label} written={written} value={numberAt(numbers, name)} path={path} />
      </div>
    );
  }
  return (
    <div class="field">
      <span class="name">{label}</span>
      <span class="note">see File</span>
    </div>
  );
}

/** A number as a number, anything else as a formula. */
function valueOf(text: string): Plain {
  const trimmed = text.trim();
  return trimmed !== "" && Number.isFinite(Number(trimmed)) ? Number(trimmed) : trimmed;
}

function FormulaField({ label, written, value, path }: { label: string; written: number | string; value: number | null; path: readonly (string | number)[] }) {
  const formula = typeof written === "string" && value !== null;
  const wrong = world.problems.value.some((problem) => problem.path?.join(".") === path.join("."));
  return (
    <span>
      <input
        type="text"
        class="formula"
        aria-label={label}
        aria-invalid={wrong}
        spellcheck={false}
        value={String(written)}
        title={formula ? `= ${short(value, 5)}` : undefined}
        onChange={(event) => void world.edit([{ op: "set", path, value: valueOf(event.currentTarget.value) }])}
      />
      {formula && <span class="value">= {short(value, 5)}</span>}
    </span>
  );
}

const NEW: Record<string, readonly { name: string; text: string }[]> = {
  circle: [{ name: "x", text: "x" }, { name: "y", text: "y" }, { name: "diameter", text: "diameter" }],
  rectangle: [{ name: "x", text: "x" }, { name: "y", text: "y" }, { name: "width", text: "width" }, { name: "height", text: "height" }],
  line: [{ name: "x", text: "from x" }, { name: "y", text: "from y" }, { name: "x2", text: "to x" }, { name: "y2", text: "to y" }, { name: "thickness", text: "thickness" }],
  probe: [{ name: "x", text: "x" }, { name: "y", text: "y" }],
};

/** Drawing by keyboard: a shape from its coordinates. */
function AddByNumbers() {
  const [shape, setShape] = useState("circle");
  const [open, setOpen] = useState(false);
  const fields = NEW[shape] ?? [];
  const [wrong, setWrong] = useState("");
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const data = new FormData(event.currentTarget as HTMLFormElement);
    const get = (key: string): Plain => valueOf(String(data.get(key) ?? ""));
    setWrong(await addShape(shape, get));
  };
  if (world.drawing.value?.dimensions !== 2) return null;
  const known = world.check.value?.reference?.name ?? "L"; // where it is L the file may not know that name
  const diameter = known === "L" ? "0.1" : known;
  return (
    <form class="group" onSubmit={(event) => void submit(event)} aria-label="Add by numbers">
      <div class="row" style={{ justifyContent: "space-between", alignItems: "center" }}>
        <h2>Add by numbers</h2>
        <button type="button" class="button small icon" aria-expanded={open} aria-label="Add by numbers" onClick={() => setOpen(!open)}>
          <Icon name={open ? "minus" : "plus"} />
        </button>
      </div>
      {open && (
        <>
          <div class="field">
            <label for="new-shape">shape</label>
            <select id="new-shape" value={shape} onChange={(event) => {
                setShape(event.currentTarget.value);
                setWrong("");
              }}>
              {Object.keys(NEW).map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </div>
          {fields.map(({ name, text }) => (
            <div class="field" key={name}>
              <label for={`new-${name}`}>
                {text} <Unit of="m" />
              </label>
              <input id={`new-${name}`} name={name} type="text" class="formula" required placeholder={text === "diameter" ? diameter : "0.2"} autocomplete="off" />
            </div>
          ))}
          {wrong && (
            <p class="refused" role="alert">
              {wrong}
            </p>
          )}
          <button type="submit" class="button small">
            Add {shape}
          </button>
        </>
      )}
    </form>
  );
}

/** Adds it, if it is right; what is wrong with it, in words. */
async function addShape(shape: string, get: (key: string) => Plain): Promise<string> {
  const part = shape === "probe" ? "observe" : "bodies";
  const at: Plain = [get("x"), get("y")];
  const tables: Record<string, () => Record<string, Plain>> = {
    circle: () => ({ shape, center: at, diameter: get("diameter") }),
    rectangle: () => ({ shape, center: at, size: [get("width"), get("height")] }),
    line: () => ({ shape, from: at, to: [get("x2"), get("y2")], thickness: get("thickness") }),
    probe: () => ({ type: "probe", position: at }),
  };
  const table = tables[shape]?.();
  if (!table) return "";
  const { path, wrong } = await world.addIfRight(part, shape, table);
  if (wrong.length > 0) return wrong.map(({ message, remedy }) => `${message.replace(`${path}.`, "")} ${remedy ?? ""}`.trim()).join(" ");
  world.selected.value = path;
  return "";
}

/** What to look for stands there while it can be seen; what to predict and to try, before and after. */
function Lesson() {
  const found = lesson.value;
  if (!found) return null;
  const live = run.isLive.value && !stale.value;
  const parts: [string, string][] = [
    ["Look for", found.look_for],
    ["Predict first", live ? "" : found.predict],
  ];
  return (
    <div class="group lesson">
      <h2>Lesson</h2>
      {parts.map(([label, text]) => text && (
        <p key={label}>
          <b>{label}.</b> {text}
        </p>
      ))}
      {!live && found.try && <Tries text={found.try} />}
    </div>
  );
}

/** Each proposal as a button that changes the world, with what is asked of it. */
function Tries({ text }: { text: string }) {
  return (
    <>
      <p>
        <b>Try.</b>
      </p>
      {proposals(text).map(({ sets, words }) => (
        <p class="try" key={sets.map(({ key, text: value }) => key + value).join()}>
          <button
            type="button"
            class="button small"
            title="Change the world so"
            onClick={() => void world.edit(sets.map(({ key, value }) => ({ op: "set", path: key.split("."), value })))}
          >
            {sets.map(({ key, text: value }) => `${key} = ${value}`).join(", ")}
          </button>{" "}
          {words}
        </p>
      ))}
    </>
  );
}

function Facts() {
  const found = world.summary.value;
  if (!found) return null;
  const rows: [string, string][] = [
    ["Particles", found.particles.toLocaleString("en")],
    ["Spacing", `${short(found.spacing, 4)} m`],
    ["Reynolds number", found.reynolds === null ? "no [reference]" : short(found.reynolds)],
    ["Mach number", short(found.mach, 2)],
    ["Time step", `${short(found.time_step)} s`],
    ["Steps", `${found.steps.toLocaleString("en")} to ${short(found.end)} s`],
    ["Memory, files", `${bytes(found.memory_bytes)}, ${bytes(found.disk_bytes)}`],
    ["Run time here", `${duration(found.seconds)} on ${found.cores} ${found.cores === 1 ? "core" : "cores"}`],
    ["… of it film, report", duration(found.seconds_after)],
  ];
  const actual = run.ended.value && !stale.value ? run.progress.value?.wallSeconds : undefined;
  if (actual) rows.push(["… steps, in fact", duration(actual)]);
  return (
    <div class="group">
      <h2>What will be run</h2>
      <dl>
        {rows.map(([name, value]) => (
          <>
            <dt key={name}>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
      </dl>
      {found.notes.map((note) => (
        <p class="note" key={note}>
          {note}
        </p>
      ))}
    </div>
  );
}

function Gallery() {
  return (
    <div class="group">
      <h2>Gallery</h2>
      <div class="row">
        {gallery.value.map((item) => (
          <button key={item.name} type="button" class="button small" title={item.about} onClick={() => void openGallery(item.name)}>
            {item.title}
          </button>
        ))}
      </div>
    </div>
  );
}
