/** The tool panel: drawing tools and the objects of the world; in small windows only the tools. */

import { chooseTool, is2d, remove, isSteering, tool } from "../draw/drawing";
import type { ToolName } from "../draw/shapes";
import { formatNumber } from "../colors/scale";
import { numberAt, numbersAt, type Shape } from "../api/types";
import { hasToolStrip } from "../state/layout";
import { isAsInFile } from "../state/bodies";
import * as run from "../state/run";
import { showsRun } from "../state/runs";
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

/** Tools that create objects. They work in 2D only; in 3D, bodies are added in the file. */
const DRAWING_TOOLS = new Set<ToolName>(["circle", "rectangle", "polygon", "line", "probe"]);

export function ToolPanel() {
  return (
    <aside class="left" aria-label={hasToolStrip.value ? "Tools" : "Tools and bodies"}>
      <div class="section">
        <h2>Draw</h2>
        <Tools />
        <div class="tools">
          <button type="button" class="button" disabled={!world.canUndo.value} aria-label="Undo" title="Undo (Ctrl+Z)" onClick={() => void world.undo()}>
            <Icon name="undo" /> <span>Undo</span>
          </button>
          <button type="button" class="button" disabled={!world.canRedo.value} aria-label="Redo" title="Redo (Ctrl+Shift+Z)" onClick={() => void world.redo()}>
            <Icon name="redo" /> <span>Redo</span>
          </button>
        </div>
      </div>
      {!hasToolStrip.value && <ObjectList />}
    </aside>
  );
}

/** Lists of bodies, regions of fluid and observers, which can be selected and removed. */
export function ObjectList() {
  const drawing = world.drawing.value;
  return (
    <div class="scroll" tabIndex={-1}>
      <ObjectSection part="bodies" title={isSteering.value ? "Bodies in the run" : "Bodies"} items={bodies()} empty={is2d.value ? "None yet. Choose a tool and drag on the canvas." : "None yet. Add bodies in the file."} />
      {drawing && drawing.regions.length > 0 && <ObjectSection part="regions" title="Initial fluid" items={drawing.regions} empty="" />}
      {drawing && drawing.observers.length > 0 && (
        <ObjectSection part="observe" title="Observers" items={drawing.observers.map((item) => ({ ...item, shape: item.type }))} empty="" />
      )}
    </div>
  );
}

/** Live run: its bodies. Finished run: the bodies of the file with notes on changes, and bodies added in the run. */
function bodies(): Item[] {
  const fileBodies = world.drawing.value?.bodies ?? [];
  const runBodies = run.bodies.value;
  if (run.kind.value !== "run" || !showsRun.value) return [...fileBodies];
  const addedInRun = (name: string): ListedObject => ({ name, shape: name.replace(/_\d+$/, ""), numbers: {} });
  if (isSteering.value) return runBodies.map(({ name }) => fileBodies.find((body) => body.name === name) ?? addedInRun(name));
  const noteOn = (body: Shape): string => (!runBodies.some(({ name }) => name === body.name) ? "removed" : !body.moves && !isAsInFile(body.name) ? "moved" : "");
  const added = runBodies.filter(({ name }) => !fileBodies.some((body) => body.name === name));
  return [...fileBodies.map((body) => ({ ...body, note: noteOn(body) })), ...added.map(({ name }) => ({ ...addedInRun(name), note: "added", inRunOnly: true }))];
}

function Tools() {
  const onKey = (event: KeyboardEvent): void => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const enabled = TOOLS.filter(({ name }) => is2d.value || !DRAWING_TOOLS.has(name));
    const next = enabled[(enabled.findIndex((item) => item.name === tool.value) + by + enabled.length) % enabled.length];
    if (!next) return;
    chooseTool(next.name);
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
          disabled={!is2d.value && DRAWING_TOOLS.has(item.name)}
          title={!is2d.value && DRAWING_TOOLS.has(item.name) ? `${item.text}: 2D only` : `${item.text} (${item.key})`}
          aria-label={item.text}
          onClick={() => chooseTool(item.name)}
        >
          <Icon name={item.icon} />
          <span>{item.text}</span>
        </button>
      ))}
    </div>
  );
}

interface ListedObject {
  readonly name: string;
  readonly shape: string;
  readonly numbers: Record<string, unknown>;
}
/** A list entry. inRunOnly: the body is not in the file. */
type Item = (ListedObject | Shape) & { readonly note?: string; readonly inRunOnly?: boolean };

const ICONS: Record<string, IconName> = {
  circle: "circle",
  sphere: "circle",
  rectangle: "rectangle",
  box: "rectangle",
  polygon: "polygon",
  line: "line",
  cylinder: "line",
};

function ObjectSection({ part, title, items, empty }: { part: string; title: string; items: readonly Item[]; empty: string }) {
  return (
    <div class="section">
      <h2>{title}</h2>
      {items.length === 0 && <p class="note wide">{empty}</p>}
      <ul class="list">
        {items.map((item) => {
          const path = `${part}.${item.name}`;
          const isSelected = world.selected.value === path;
          return (
            <li key={path}>
              <button type="button" class="item" aria-current={isSelected} title={item.name} aria-label={`${item.name}, ${item.shape.replace("_", " ")}`} onClick={() => (world.selected.value = path)}>
                <Icon name={part === "observe" ? "probe" : (ICONS[item.shape] ?? "polygon")} />
                <span class="what">{item.name}</span>
                {"drawn" in item && !item.drawn ? <span class="chip bad">invalid</span> : <span class="size" title={item.note && `${item.note} while the run went on`}>{part === "observe" ? "" : item.note || size(item)}</span>}
              </button>
              {!item.inRunOnly && (
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

/** The size in reference lengths if the world has one, else in metres. */
function size(item: ListedObject | Shape): string {
  const reference = "in_reference" in item ? item.in_reference : {};
  const lengths = numberAt(reference, "diameter") ?? Math.max(...(numbersAt(reference, "extent") ?? [0]));
  if (lengths > 0) return `${formatNumber(lengths)} ${world.check.value?.reference?.name ?? "L"}`;
  const metres = numberAt(item.numbers, "diameter");
  return metres === null ? "" : `${formatNumber(metres)} m`;
}
