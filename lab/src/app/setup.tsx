/** The tab Setup: problems, lesson, steering, results, selected object, and summary of the run. */

import { useState } from "preact/hooks";
import type { JsonValue } from "../api/types";
import { numberAt, numbersAt } from "../api/types";
import { formatNumber } from "../colors/scale";
import { remove } from "../draw/drawing";
import * as run from "../state/run";
import { isStale } from "../state/runs";
import * as world from "../state/world";
import { Icon } from "./icons";
import { ResultsCard } from "./results";
import { gallery, lesson, openGallery } from "./navigation";
import { Steer } from "./steer";
import { proposals } from "./proposals";
import { formatBytes, formatDuration } from "./format";
import { Problems } from "./problems";

export function Setup() {
  const isWatched = run.isLive.value && !isStale.value;
  return (
    <div class="setup scroll">
      <Problems />
      {isWatched && <Lesson />}
      {isWatched && <Steer />}
      <ResultsCard />
      <SelectedObject />
      <AddByCoordinates />
      {!isWatched && <Lesson />}
      <RunSummary />
      <Gallery />
    </div>
  );
}

const HIDDEN_KEYS = new Set(["shape", "motion", "type"]);

/** Parameters of the selected object as written: numbers or formulas. */
function SelectedObject() {
  const key = world.selected.value;
  const drawing = world.drawing.value;
  if (!key || !drawing) return null;
  const [part = "", ...rest] = key.split(".");
  const name = rest.join(".");
  const list = { bodies: drawing.bodies, regions: drawing.regions, observe: drawing.observers }[part];
  const item = list?.find((each) => each.name === name);
  if (!item) return null;
  const kind = "shape" in item ? item.shape : item.type;
  return (
    <div class="group" aria-label={`Parameters of ${name}`} role="group">
      <h2>
        {name} {kind !== name && <span class="note">{kind.replace("_", " ")}</span>}
      </h2>
      {Object.entries(item.written)
        .filter(([entry]) => !HIDDEN_KEYS.has(entry))
        .map(([entry, value]) => (
          <ParameterField key={`${key} ${entry}`} path={[part, name, entry]} name={entry} written={value} numbers={item.numbers} />
        ))}
      <div class="row">
        <button type="button" class="button small" onClick={() => void remove(key)}>
          <Icon name="trash" /> Remove
        </button>
      </div>
    </div>
  );
}

const LENGTHS = new Set(["center", "diameter", "size", "min", "max", "from", "to", "thickness", "points", "position"]);
const UNITS: Record<string, string> = { angle: "°", density: "kg/m³", velocity: "m/s" };

function unitOf(name: string): string {
  return LENGTHS.has(name) ? "m" : (UNITS[name] ?? "");
}

function Unit({ of }: { of: string }) {
  return of ? <small class="unit">{of}</small> : null;
}

function ParameterField({ path, name, written, numbers }: { path: readonly string[]; name: string; written: unknown; numbers: Record<string, unknown> }) {
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
      <span class="note">see tab File</span>
    </div>
  );
}

/** A number if the text is one, else the text, e.g. a formula. */
function parseValue(text: string): JsonValue {
  const trimmed = text.trim();
  return trimmed !== "" && Number.isFinite(Number(trimmed)) ? Number(trimmed) : trimmed;
}

function FormulaField({ label, written, value, path }: { label: string; written: number | string; value: number | null; path: readonly (string | number)[] }) {
  const formula = typeof written === "string" && value !== null;
  const isInvalid = world.problems.value.some((problem) => problem.path?.join(".") === path.join("."));
  return (
    <span>
      <input
        type="text"
        class="formula"
        aria-label={label}
        aria-invalid={isInvalid}
        spellcheck={false}
        value={String(written)}
        title={formula ? `= ${formatNumber(value, 5)}` : undefined}
        onChange={(event) => void world.edit([{ op: "set", path, value: parseValue(event.currentTarget.value) }])}
      />
      {formula && <span class="value">= {formatNumber(value, 5)}</span>}
    </span>
  );
}

const NEW_SHAPE_FIELDS: Record<string, readonly { name: string; text: string }[]> = {
  circle: [{ name: "x", text: "x" }, { name: "y", text: "y" }, { name: "diameter", text: "diameter" }],
  rectangle: [{ name: "x", text: "x" }, { name: "y", text: "y" }, { name: "width", text: "width" }, { name: "height", text: "height" }],
  line: [{ name: "x", text: "from x" }, { name: "y", text: "from y" }, { name: "x2", text: "to x" }, { name: "y2", text: "to y" }, { name: "thickness", text: "thickness" }],
  probe: [{ name: "x", text: "x" }, { name: "y", text: "y" }],
};

/** A form that adds an object by its coordinates, without a pointer. */
function AddByCoordinates() {
  const [shape, setShape] = useState("circle");
  const [open, setOpen] = useState(false);
  const fields = NEW_SHAPE_FIELDS[shape] ?? [];
  const [message, setMessage] = useState("");
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const data = new FormData(event.currentTarget as HTMLFormElement);
    const get = (key: string): JsonValue => parseValue(String(data.get(key) ?? ""));
    setMessage(await addShapeIfValid(shape, get));
  };
  if (world.drawing.value?.dimensions !== 2) return null;
  const reference = world.check.value?.reference?.name ?? "L"; // the file may not define L
  const diameter = reference === "L" ? "0.1" : reference;
  return (
    <form class="group" onSubmit={(event) => void submit(event)} aria-label="Add by coordinates">
      <div class="row" style={{ justifyContent: "space-between", alignItems: "center" }}>
        <h2>Add by coordinates</h2>
        <button type="button" class="button small icon" aria-expanded={open} aria-label="Add by coordinates" onClick={() => setOpen(!open)}>
          <Icon name={open ? "minus" : "plus"} />
        </button>
      </div>
      {open && (
        <>
          <div class="field">
            <label for="new-shape">shape</label>
            <select id="new-shape" value={shape} onChange={(event) => {
                setShape(event.currentTarget.value);
                setMessage("");
              }}>
              {Object.keys(NEW_SHAPE_FIELDS).map((name) => (
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
          {message && (
            <p class="refused" role="alert">
              {message}
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

/** Adds a shape if it is valid; otherwise returns the problems as text. */
async function addShapeIfValid(shape: string, get: (key: string) => JsonValue): Promise<string> {
  const part = shape === "probe" ? "observe" : "bodies";
  const at: JsonValue = [get("x"), get("y")];
  const tables: Record<string, () => Record<string, JsonValue>> = {
    circle: () => ({ shape, center: at, diameter: get("diameter") }),
    rectangle: () => ({ shape, center: at, size: [get("width"), get("height")] }),
    line: () => ({ shape, from: at, to: [get("x2"), get("y2")], thickness: get("thickness") }),
    probe: () => ({ type: "probe", position: at }),
  };
  const table = tables[shape]?.();
  if (!table) return "";
  const { path, problems } = await world.addIfValid(part, shape, table);
  if (problems.length > 0) return problems.map(({ message, remedy }) => `${message.replace(`${path}.`, "")} ${remedy ?? ""}`.trim()).join(" ");
  world.selected.value = path;
  return "";
}

/** The lesson: what to look for; before and after a run also what to predict and to try. */
function Lesson() {
  const found = lesson.value;
  if (!found) return null;
  const live = run.isLive.value && !isStale.value;
  const parts: [string, string][] = [
    ["Look for", found.look_for],
    ["Predict first", live ? "" : found.predict],
  ];
  return (
    <div class="group lesson">
      <h2>Lesson</h2>
      {parts.map(([label, text]) => text && (
        <p key={label}>
          <b>{label}:</b> {text}
        </p>
      ))}
      {!live && found.try && <Experiments text={found.try} />}
    </div>
  );
}

/** Experiments of a lesson: each button changes the world. */
function Experiments({ text }: { text: string }) {
  return (
    <>
      <p>
        <b>Try:</b>
      </p>
      {proposals(text).map(({ sets, question }) => (
        <p class="experiment" key={sets.map(({ key, text: value }) => key + value).join()}>
          <button
            type="button"
            class="button small"
            title="Apply this change to the world"
            onClick={() => void world.edit(sets.map(({ key, value }) => ({ op: "set", path: key.split("."), value })))}
          >
            {sets.map(({ key, text: value }) => `${key} = ${value}`).join(", ")}
          </button>{" "}
          {question}
        </p>
      ))}
    </>
  );
}

const DEVICE_NAMES: Record<string, string> = { cpu: "Processor", gpu: "GPU", emulated: "Emulated GPU" };

/** The device that computes the next run; the notes below tell what it needs there, or why it cannot. */
function DeviceChoice({ devices, computes }: { devices: readonly string[]; computes: string }) {
  return (
    <div class="field">
      <label for="device">Computed by</label>
      <select id="device" value={world.device.value ?? computes} onChange={(event) => void world.setDevice(event.currentTarget.value)}>
        {devices.map((name) => (
          <option key={name} value={name}>
            {DEVICE_NAMES[name] ?? name}
          </option>
        ))}
      </select>
    </div>
  );
}

function RunSummary() {
  const summary = world.summary.value;
  if (!summary) return null;
  const { mach, reynolds } = summary;
  const flow: [string, string][] =
    mach === null
      ? [] // of a solver without a fluid
      : [["Reynolds number", reynolds === null ? "– (no [reference])" : formatNumber(reynolds)]];
  if (mach && mach < 1) flow.push(["Mach number", formatNumber(mach, 2)]); // 0: a gas at rest; 1: one that is faster than sound
  const rows: [string, string][] = [
    [summary.members.charAt(0).toUpperCase() + summary.members.slice(1), summary.particles.toLocaleString("en")],
    ["Spacing", `${formatNumber(summary.spacing, 4)} m`],
    ...flow,
    ...(summary.time_unit === "s" ? [["Time step", `${formatNumber(summary.time_step)} s`] as [string, string]] : []),
    ["Steps", `${summary.steps.toLocaleString("en")} until ${formatNumber(summary.end)} ${summary.time_unit}`],
    ["Memory, disk space", `${formatBytes(summary.memory_bytes)}, ${formatBytes(summary.disk_bytes)}`],
    ["Estimated run time", `${formatDuration(summary.seconds)} on ${summary.cores} ${summary.cores === 1 ? "core" : "cores"}`],
    ["– of this, video and report", formatDuration(summary.seconds_after)],
  ];
  const actual = run.ended.value && !isStale.value ? run.progress.value?.wallSeconds : undefined;
  if (actual) rows.push(["Actual time of the steps", formatDuration(actual)]);
  return (
    <div class="group">
      <h2>Summary</h2>
      <dl>
        {rows.map(([name, value]) => (
          <>
            <dt key={name}>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
      </dl>
      {summary.devices.length > 1 && <DeviceChoice devices={summary.devices} computes={summary.device} />}
      {summary.notes.map((note) => (
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
