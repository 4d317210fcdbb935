/** Tools, and what is in the world: in a window with little room a strip of tools alone. */

import { choose, isFlat, remove, steers, tool } from "../draw/drawing";
import type { ToolName } from "../draw/shapes";
import { short } from "../colors/scale";
import { numberAt, numbersAt, type Shape } from "../api/types";
import { hasStrip } from "../state/room";
import { standsAsDrawn } from "../state/bodies";
import * as run from "../state/run";
import { flowing } from "../state/runs";
import * as world from "../state/world";
import { Icon, type IconName } from "./icons";

export const TOOLS: readonly { name: ToolName; text: string; icon: IconName; key: string }[] = [
  { name: "select", text: "Select", icon: "select", key: "V" },
  { name: "circle", text: "Circle", icon: "circle", key: "C" },
  { name: "rectangle", text: "Box", icon: "rectangle", key: "R" },
  { name: "polygon", text: "Polygon", icon: "polygon", key: "P" },
  { name: "line", text: "Line", icon: "line", key: "L" },
  { name: "probe", text: "Probe", icon: "probe", key: "O" },
  { name: "pan", text: "Pan", icon: "pan", key: "H" },
];

/** Tools that make something: of a flow in three dimensions the canvas is a view, and its bodies are made in the file. */
const DRAWS = new Set<ToolName>(["circle", "rectangle", "polygon", "line", "probe"]);

export function Left() {
  return (
    <aside class="left" aria-label={hasStrip.value ? "Tools" : "Tools and bodies"}>
      <div class="section">
        <h2>Draw</h2>
        <Tools />
        <div class="tools">
          <button type="button" class="button" disabled={!world.canUndo.value} aria-label="Undo" title="Undo (Ctrl Z)" onClick={() => void world.undo()}>
            <Icon name="undo" /> <span>Undo</span>
          </button>
          <button type="button" class="button" disabled={!world.canRedo.value} aria-label="Redo" title="Redo (Ctrl Shift Z)" onClick={() => void world.redo()}>
            <Icon name="redo" /> <span>Redo</span>
          </button>
        </div>
      </div>
      {!hasStrip.value && <Contents />}
    </aside>
  );
}

/** Bodies, water and observers, each to be chosen or removed. */
export function Contents() {
  const plan = world.drawing.value;
  return (
    <div class="scroll" tabIndex={-1}>
      <Items part="bodies" title={steers.value ? "Bodies of the run" : "Bodies"} items={bodies()} empty={isFlat.value ? "None yet. Take a tool and drag on the canvas." : "None yet. The file takes them."} />
      {plan && plan.regions.length > 0 && <Items part="regions" title="Water at the start" items={plan.regions} empty="" />}
      {plan && plan.observers.length > 0 && (
        <Items part="observe" title="Observers" items={plan.observers.map((item) => ({ ...item, shape: item.type }))} empty="" />
      )}
    </div>
  );
}

/** While a run goes on those that it has; later those of the file, with what the run has made of them, and those that came. */
function bodies(): Item[] {
  const drawn = world.drawing.value?.bodies ?? [];
  const ofRun = run.bodies.value;
  if (run.kind.value !== "run" || !flowing.value) return [...drawn];
  const came = (name: string): Listed => ({ name, shape: name.replace(/_\d+$/, ""), numbers: {} });
  if (steers.value) return ofRun.map(({ name }) => drawn.find((body) => body.name === name) ?? came(name));
  const notes = (body: Shape): string => (!ofRun.some(({ name }) => name === body.name) ? "removed in the run" : !body.moves && !standsAsDrawn(body.name) ? "moved in the run" : "");
  const added = ofRun.filter(({ name }) => !drawn.some((body) => body.name === name));
  return [...drawn.map((body) => ({ ...body, note: notes(body) })), ...added.map(({ name }) => ({ ...came(name), note: "added in the run", isOfRun: true }))];
}

function Tools() {
  const onKey = (event: KeyboardEvent): void => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const able = TOOLS.filter(({ name }) => isFlat.value || !DRAWS.has(name));
    const next = able[(able.findIndex((item) => item.name === tool.value) + by + able.length) % able.length];
    if (!next) return;
    choose(next.name);
    (event.currentTarget as HTMLElement).querySelectorAll("button")[TOOLS.indexOf(next)]?.focus();
  };
  return (
    <div class="tools" role="radiogroup" aria-label="Tool" onKeyDown={onKey}>
      {TOOLS.map((item) => (
        <button
          key={item.name}
          type="button"
          role="radio"
          class="button"
          aria-checked={tool.value === item.name}
          tabIndex={tool.value === item.name ? 0 : -1}
          disabled={!isFlat.value && DRAWS.has(item.name)}
          title={!isFlat.value && DRAWS.has(item.name) ? `${item.text}: in two dimensions only` : `${item.text} (${item.key})`}
          aria-label={item.text}
          onClick={() => choose(item.name)}
        >
          <Icon name={item.icon} />
          <span>{item.text}</span>
        </button>
      ))}
    </div>
  );
}

interface Listed {
  readonly name: string;
  readonly shape: string;
  readonly numbers: Record<string, unknown>;
}
/** A line of the list. isOfRun: the file does not have it. */
type Item = (Listed | Shape) & { readonly note?: string; readonly isOfRun?: boolean };

const ICONS: Record<string, IconName> = {
  circle: "circle",
  sphere: "circle",
  rectangle: "rectangle",
  box: "rectangle",
  polygon: "polygon",
  line: "line",
  cylinder: "line",
};

function Items({ part, title, items, empty }: { part: string; title: string; items: readonly Item[]; empty: string }) {
  return (
    <div class="section">
      <h2>{title}</h2>
      {items.length === 0 && <p class="note wide">{empty}</p>}
      <ul class="list">
        {items.map((item) => {
          const path = `${part}.${item.name}`;
          const chosen = world.selected.value === path;
          return (
            <li key={path}>
              <button type="button" class="item" aria-current={chosen} title={item.name} aria-label={`${item.name}, ${item.shape.replace("_", " ")}`} onClick={() => (world.selected.value = path)}>
                <Icon name={part === "observe" ? "probe" : (ICONS[item.shape] ?? "polygon")} />
                <span class="what">{item.name}</span>
                {"drawn" in item && !item.drawn ? <span class="chip bad">to mend</span> : <span class="size">{part === "observe" ? "" : item.note || size(item)}</span>}
              </button>
              {!item.isOfRun && (
                <button type="button" class="button bare icon small remove" aria-label={`Remove ${item.name}`} title={`Remove ${item.name}`} onClick={() => void remove(path)}>
                  <Icon name="close" size={14} />
                </button>
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** The size in reference lengths where the world has one, else in metres. */
function size(item: Listed | Shape): string {
  const reference = "in_reference" in item ? item.in_reference : {};
  const lengths = numberAt(reference, "diameter") ?? Math.max(...(numbersAt(reference, "extent") ?? [0]));
  if (lengths > 0) return `${short(lengths)} ${world.check.value?.reference?.name ?? "L"}`;
  const metres = numberAt(item.numbers, "diameter");
  return metres === null ? "" : `${short(metres)} m`;
}
