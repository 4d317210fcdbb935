/** Drawing by pointer and keyboard: the tool, the dragged shape, new objects. */

import { computed, signal } from "@preact/signals";
import { type Edit, numbersAt, type JsonValue } from "../api/types";
import type { Point } from "../canvas/camera";
import { isAsInFile } from "../state/bodies";
import { notify } from "../state/notices";
import * as run from "../state/run";
import { sendCommand } from "../state/steering";
import * as world from "../state/world";
import { showsRun, isStale } from "../state/runs";
import { rectangleBetween, edits, centerOf, type Sketch, sketchOf, tableOf, roundedNumber, type ToolName, translated } from "./shapes";
import type { Guide } from "./snap";

export const tool = signal<ToolName>("select");

/** A body while it is dragged or created. path: e.g. "bodies.cylinder", or null for a new body. */
export interface Ghost {
  readonly path: string | null;
  readonly sketch: Sketch;
}
export const ghost = signal<Ghost | null>(null);
export const guides = signal<readonly Guide[]>([]);
/** Corners of the polygon being drawn. */
export const corners = signal<readonly Point[]>([]);

/** True if changes apply to the live run instead of the world file. */
export const isSteering = computed(() => run.isLive.value && !isStale.value);

/** True if the world is 2D; only then can one draw. */
export const is2d = computed(() => !run.is3d.value && (world.drawing.value?.dimensions ?? 2) === 2);

export function chooseTool(next: ToolName): void {
  tool.value = is2d.value || next === "pan" ? next : "select";
  corners.value = [];
  ghost.value = null;
  guides.value = [];
}

/** True if the displayed finished run has moved or removed a body of the file; it cannot be dragged then. */
export function isMovedInRun(path: string): boolean {
  return path.startsWith("bodies.") && showsRun.value && !run.isLive.value && !isAsInFile(nameOf(path));
}

/** The sketch of an object; for a body in a live run, its current outline. */
export function sketchAt(path: string): Sketch | null {
  const [part, ...rest] = path.split(".");
  if (isMovedInRun(path)) return null;
  if (isSteering.value && part === "bodies") {
    const points = run.bodies.value.find((body) => body.name === rest.join("."))?.outlines[0]?.points ?? [];
    const corners: Point[] = [];
    for (let k = 0; k + 1 < points.length; k += 2) corners.push([points[k] as number, points[k + 1] as number]);
    return corners.length > 0 ? { shape: "polygon", points: corners } : null;
  }
  const drawing = world.drawing.value;
  const list = part === "bodies" ? drawing?.bodies : part === "regions" ? drawing?.regions : undefined;
  const body = list?.find((item) => item.name === rest.join("."));
  return body ? sketchOf(body) : null;
}

/** Snap lines: through the centres of bodies and of the domain, and along the sides of the domain. */
export function snapGuides(except: string | null): Guide[] {
  const drawing = world.drawing.value;
  if (!drawing) return [];
  const found: Guide[] = [];
  for (const axis of [0, 1] as const) {
    const low = drawing.origin[axis] ?? 0;
    const high = low + (drawing.size[axis] ?? 0);
    for (const at of [low, (low + high) / 2, high]) found.push({ axis, at });
    for (const body of drawing.bodies) {
      const center = numbersAt(body.numbers, "center");
      if (center && `bodies.${body.name}` !== except) found.push({ axis, at: center[axis] as number });
    }
  }
  return found;
}

/** A drag in progress. inRun: whether it moves a body of the live run; this does not change if the run ends meanwhile. All
 * changes of a drag are undone together. */
interface DragState {
  readonly start: Sketch;
  readonly inRun: boolean;
  readonly group: string;
}
let dragCount = 0;
let drag: DragState | null = null;

export function beginDrag(path: string): void {
  const start = sketchAt(path);
  drag = start && { start, inRun: isSteering.value, group: `drag ${++dragCount}` };
  ghost.value = null; // a preview of an earlier move may still be shown
}

/** Updates the dragged shape; changes of the file are sent while the pointer moves. */
export function dragShape(path: string, sketch: Sketch): void {
  ghost.value = { path, sketch };
  if (!drag || drag.inRun) return;
  const changes = edits(path.split("."), drag.start, sketch);
  if (changes.length > 0) world.editLatest(changes, drag.group);
}

/** Ends a drag. A press without movement changes nothing. */
export async function endDrag(path: string): Promise<void> {
  const [last, done] = [ghost.value, drag];
  guides.value = [];
  drag = null;
  if (!done || last?.path !== path) return;
  if (!done.inRun) {
    const changes = edits(path.split("."), done.start, last.sketch);
    if (changes.length > 0) await world.edit(changes, done.group);
  } else if (isSteering.value) await moveInRun(path, done.start, last.sketch);
  else notify("problem", `The run ended before ${nameOf(path)} was released, so it was not moved.`);
  if (ghost.value === last) ghost.value = null;
}

function nameOf(path: string): string {
  return path.split(".").slice(1).join(".");
}

async function moveInRun(path: string, from: Sketch, to: Sketch): Promise<void> {
  const name = nameOf(path);
  const [dx, dy] = shift(from, to);
  if (dx === 0 && dy === 0) return;
  await sendCommand({ case: "moveBody", value: { $typeName: "eddyline.stream.MoveBody", body: name, by: [dx, dy], turn: 0, seconds: 0 } });
}

function shift(from: Sketch, to: Sketch): [number, number] {
  return from.shape === "polygon" && to.shape === "polygon" && from.points[0] && to.points[0]
    ? difference(from.points[0], to.points[0])
    : [0, 0];
}

function difference(a: Point, b: Point): [number, number] {
  return [roundedNumber(b[0] - a[0]), roundedNumber(b[1] - a[1])];
}

/** The shape that a drag with a tool creates; null if it is too small. */
export function sketchFromDrag(name: ToolName, from: Point, to: Point, spacing: number): Sketch | null {
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
  if (length < spacing) return null;
  if (name === "circle") return { shape: "circle", center: from, diameter: 2 * length };
  if (name === "rectangle") {
    const sketch = rectangleBetween(from, to);
    const flat = sketch.max[0] - sketch.min[0] < spacing || sketch.max[1] - sketch.min[1] < spacing;
    return flat ? null : sketch;
  }
  if (name === "line") return { shape: "line", from, to, thickness: roundedNumber(4 * spacing) };
  return null;
}

/** Adds a body to the world file or to the live run. */
export async function add(sketch: Sketch): Promise<void> {
  const wanted = sketch.shape === "rotated" ? "rectangle" : sketch.shape;
  const table = tableOf(sketch);
  ghost.value = { path: null, sketch };
  const name = isSteering.value ? unusedBodyName(wanted) : world.unusedName("bodies", wanted);
  let done = true;
  if (isSteering.value) {
    const toml = Object.entries(table).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`).join("");
    done = await sendCommand({ case: "addBody", value: { $typeName: "eddyline.stream.AddBody", name, toml } });
  } else await world.edit([{ op: "add", path: ["bodies", name], value: table }]);
  chooseTool("select");
  if (done) world.selected.value = `bodies.${name}`;
}

/** A name that no body of the world or the run has or had. */
function unusedBodyName(wanted: string): string {
  const isUsed = (name: string): boolean =>
    world.find(`bodies.${name}`) !== null || run.series.all.has(`force.${name}`) || run.bodies.value.some((body) => body.name === name);
  let name = wanted;
  for (let k = 2; isUsed(name); k++) name = `${wanted}_${k}`;
  return name;
}

export async function addProbe(at: Point): Promise<void> {
  const name = world.unusedName("observe", "probe");
  if (isSteering.value) {
    await sendCommand({ case: "addProbe", value: { $typeName: "eddyline.stream.AddProbe", name: unusedProbeName(), position: [roundedNumber(at[0]), roundedNumber(at[1])] } });
    chooseTool("select");
    return;
  }
  const value: JsonValue = { type: "probe", position: [roundedNumber(at[0]), roundedNumber(at[1])] };
  await world.edit([{ op: "add", path: ["observe", name], value }]);
  world.selected.value = `observe.${name}`;
  tool.value = "select";
}

/** A name that no series of the run has. */
function unusedProbeName(): string {
  for (let k = 1; ; k++) {
    const name = k === 1 ? "probe" : `probe_${k}`;
    if (!run.series.all.has(name)) return name;
  }
}

export async function remove(path: string): Promise<void> {
  const [part = "", ...rest] = path.split(".");
  const name = rest.join(".");
  if (isSteering.value && part === "bodies") {
    await sendCommand({ case: "removeBody", value: { $typeName: "eddyline.stream.RemoveBody", body: name } });
    return;
  }
  if (isSteering.value && part === "observe") {
    const isTracked = world.drawing.value?.observers.some((item) => item.name === name && item.type === "particle");
    if (isTracked) await sendCommand({ case: "untrack", value: { $typeName: "eddyline.stream.Untrack", name } });
    else await sendCommand({ case: "removeProbe", value: { $typeName: "eddyline.stream.RemoveProbe", name } });
    return;
  }
  if (world.selected.value === path) world.selected.value = null;
  await world.edit([{ op: "remove", path: [part, name] }]);
}

/** Moves an object by (dx, dy) [m], for arrow keys. */
export async function nudge(path: string, dx: number, dy: number): Promise<void> {
  const sketch = sketchAt(path);
  if (sketch) {
    const next = translated(sketch, dx, dy);
    if (isSteering.value) await moveInRun(path, sketch, next);
    else await world.edit(edits(path.split("."), sketch, next), `nudge ${path}`);
    return;
  }
  if (isMovedInRun(path) && world.find(path)) {
    notify("problem", `${nameOf(path)} was moved during the run, so it cannot be moved here. Change its coordinates under Setup.`);
    return;
  }
  const [part = "", ...rest] = path.split(".");
  const probe = world.drawing.value?.observers.find((item) => item.name === rest.join("."));
  const at = probe && numbersAt(probe.numbers, "position");
  if (part !== "observe" || !at) return;
  const changes: Edit[] = ([dx, dy] as const).flatMap((by, axis) =>
    by === 0 ? [] : [{ op: "set", path: [part, rest.join("."), "position", axis], value: roundedNumber((at[axis] as number) + by) }],
  );
  await world.edit(changes, `nudge ${path}`);
}

/** The snapped position of the pointer for the next corner [m]. */
export const cursor = signal<Point | null>(null);

/** The point of a shape that snaps when it is moved. */
export function snapPoint(sketch: Sketch): Point {
  return sketch.shape === "rectangle" ? sketch.min : centerOf(sketch);
}
