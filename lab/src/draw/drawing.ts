/** Drawing with pointer and keys: which tool, what is being pulled, what is new. */

import { computed, signal } from "@preact/signals";
import { type Edit, numbersAt, type Plain } from "../api/types";
import type { Point } from "../canvas/camera";
import { standsAsDrawn } from "../state/bodies";
import { notify } from "../state/notices";
import * as run from "../state/run";
import { command } from "../state/steering";
import * as world from "../state/world";
import { flowing, stale } from "../state/runs";
import { between, edits, middle, type Sketch, sketchOf, tableOf, tidy, type ToolName, translated } from "./shapes";
import type { Guide } from "./snap";

export const tool = signal<ToolName>("select");

/** A body as it is while it is pulled or made. path: "bodies.cylinder", or null of a new one. */
export interface Ghost {
  readonly path: string | null;
  readonly sketch: Sketch;
}
export const ghost = signal<Ghost | null>(null);
export const guides = signal<readonly Guide[]>([]);
/** Corners so far of a polygon that is being drawn. */
export const corners = signal<readonly Point[]>([]);

/** Whether a pull moves the body of the running simulation, rather than the world file. */
export const steers = computed(() => run.isLive.value && !stale.value);

/** Whether one can draw: in two dimensions. */
export const isFlat = computed(() => !run.isSolid.value && (world.drawing.value?.dimensions ?? 2) === 2);

export function choose(next: ToolName): void {
  tool.value = isFlat.value || next === "pan" ? next : "select";
  corners.value = [];
  ghost.value = null;
  guides.value = [];
}

/** Whether a body of the file is elsewhere in the run that has been, or not there: then it cannot be pulled in its picture. */
export function isElsewhere(path: string): boolean {
  return path.startsWith("bodies.") && flowing.value && !run.isLive.value && !standsAsDrawn(nameOf(path));
}

/** The sketch of a body, as the server knows it; while a run is steered, where the body is now. */
export function sketchAt(path: string): Sketch | null {
  const [part, ...rest] = path.split(".");
  if (isElsewhere(path)) return null;
  if (steers.value && part === "bodies") {
    const points = run.bodies.value.find((body) => body.name === rest.join("."))?.outlines[0]?.points ?? [];
    const corners: Point[] = [];
    for (let k = 0; k + 1 < points.length; k += 2) corners.push([points[k] as number, points[k + 1] as number]);
    return corners.length > 0 ? { shape: "polygon", points: corners } : null;
  }
  const plan = world.drawing.value;
  const list = part === "bodies" ? plan?.bodies : part === "regions" ? plan?.regions : undefined;
  const body = list?.find((item) => item.name === rest.join("."));
  return body ? sketchOf(body) : null;
}

/** Lines through centres of bodies and of the domain, and along its sides. */
export function attractors(except: string | null): Guide[] {
  const plan = world.drawing.value;
  if (!plan) return [];
  const found: Guide[] = [];
  for (const axis of [0, 1] as const) {
    const low = plan.origin[axis] ?? 0;
    const high = low + (plan.size[axis] ?? 0);
    for (const at of [low, (low + high) / 2, high]) found.push({ axis, at });
    for (const body of plan.bodies) {
      const center = numbersAt(body.numbers, "center");
      if (center && `bodies.${body.name}` !== except) found.push({ axis, at: center[axis] as number });
    }
  }
  return found;
}

/** A pull: where the body was, and whether it is one of the running simulation. What a pull is it stays, though the run
 * may end meanwhile; all its changes are undone together. */
interface Pull {
  readonly start: Sketch;
  readonly steers: boolean;
  readonly group: string;
}
let pulls = 0;
let now: Pull | null = null;

/** A pull begins. */
export function begin(path: string): void {
  const start = sketchAt(path);
  now = start && { start, steers: steers.value, group: `pull ${++pulls}` };
  ghost.value = null; // that of a body whose move is still under way
}

/** The body as it is now; sent on while the pointer moves. */
export function pull(path: string, sketch: Sketch): void {
  ghost.value = { path, sketch };
  if (!now || now.steers) return;
  const changes = edits(path.split("."), now.start, sketch);
  if (changes.length > 0) world.editSoon(changes, now.group);
}

/** The pull ends; a press that has pulled nothing changes nothing. */
export async function release(path: string): Promise<void> {
  const [last, done] = [ghost.value, now];
  guides.value = [];
  now = null;
  if (!done || last?.path !== path) return;
  if (!done.steers) {
    const changes = edits(path.split("."), done.start, last.sketch);
    if (changes.length > 0) await world.edit(changes, done.group);
  } else if (steers.value) await steer(path, done.start, last.sketch);
  else notify("problem", `The run ended before ${nameOf(path)} was let go: it has not been moved.`);
  if (ghost.value === last) ghost.value = null;
}

function nameOf(path: string): string {
  return path.split(".").slice(1).join(".");
}

async function steer(path: string, from: Sketch, to: Sketch): Promise<void> {
  const name = nameOf(path);
  const [dx, dy] = shift(from, to);
  if (dx === 0 && dy === 0) return;
  await command({ case: "moveBody", value: { $typeName: "eddyline.stream.MoveBody", body: name, by: [dx, dy], turn: 0, seconds: 0 } });
}

function shift(from: Sketch, to: Sketch): [number, number] {
  return from.shape === "polygon" && to.shape === "polygon" && from.points[0] && to.points[0]
    ? difference(from.points[0], to.points[0])
    : [0, 0];
}

function difference(a: Point, b: Point): [number, number] {
  return [tidy(b[0] - a[0]), tidy(b[1] - a[1])];
}

/** The sketch that a drag of the tool makes; null if it is too small. */
export function made(name: ToolName, from: Point, to: Point, spacing: number): Sketch | null {
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
  if (length < spacing) return null;
  if (name === "circle") return { shape: "circle", center: from, diameter: 2 * length };
  if (name === "rectangle") {
    const sketch = between(from, to);
    const flat = sketch.max[0] - sketch.min[0] < spacing || sketch.max[1] - sketch.min[1] < spacing;
    return flat ? null : sketch;
  }
  if (name === "line") return { shape: "line", from, to, thickness: tidy(4 * spacing) };
  return null;
}

/** Puts a new body into the world file, or into the running flow. */
export async function add(sketch: Sketch): Promise<void> {
  const wish = sketch.shape === "turned" ? "rectangle" : sketch.shape;
  const table = tableOf(sketch);
  ghost.value = { path: null, sketch };
  const name = steers.value ? bodyName(wish) : world.freeName("bodies", wish);
  let done = true;
  if (steers.value) {
    const toml = Object.entries(table).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`).join("");
    done = await command({ case: "addBody", value: { $typeName: "eddyline.stream.AddBody", name, toml } });
  } else await world.edit([{ op: "add", path: ["bodies", name], value: table }]);
  choose("select");
  if (done) world.selected.value = `bodies.${name}`;
}

/** A name that no body of the world or of the run has or had. */
function bodyName(wish: string): string {
  const had = (name: string): boolean =>
    world.find(`bodies.${name}`) !== null || run.series.all.has(`force.${name}`) || run.bodies.value.some((body) => body.name === name);
  let name = wish;
  for (let k = 2; had(name); k++) name = `${wish}_${k}`;
  return name;
}

export async function addProbe(at: Point): Promise<void> {
  const name = world.freeName("observe", "probe");
  if (steers.value) {
    await command({ case: "addProbe", value: { $typeName: "eddyline.stream.AddProbe", name: probeName(), position: [tidy(at[0]), tidy(at[1])] } });
    choose("select");
    return;
  }
  const value: Plain = { type: "probe", position: [tidy(at[0]), tidy(at[1])] };
  await world.edit([{ op: "add", path: ["observe", name], value }]);
  world.selected.value = `observe.${name}`;
  tool.value = "select";
}

/** A name that no series of the run has. */
function probeName(): string {
  for (let k = 1; ; k++) {
    const name = k === 1 ? "probe" : `probe_${k}`;
    if (!run.series.all.has(name)) return name;
  }
}

export async function remove(path: string): Promise<void> {
  const [part = "", ...rest] = path.split(".");
  const name = rest.join(".");
  if (steers.value && part === "bodies") {
    await command({ case: "removeBody", value: { $typeName: "eddyline.stream.RemoveBody", body: name } });
    return;
  }
  if (steers.value && part === "observe") {
    await command({ case: "removeProbe", value: { $typeName: "eddyline.stream.RemoveProbe", name } });
    return;
  }
  if (world.selected.value === path) world.selected.value = null;
  await world.edit([{ op: "remove", path: [part, name] }]);
}

/** Moves the selected body by keys. */
export async function nudge(path: string, dx: number, dy: number): Promise<void> {
  const sketch = sketchAt(path);
  if (sketch) {
    const next = translated(sketch, dx, dy);
    if (steers.value) await steer(path, sketch, next);
    else await world.edit(edits(path.split("."), sketch, next), `nudge ${path}`);
    return;
  }
  if (isElsewhere(path) && world.find(path)) {
    notify("problem", `${nameOf(path)} was moved while the flow was computed: the file has it elsewhere. Its numbers are under Setup.`);
    return;
  }
  const [part = "", ...rest] = path.split(".");
  const probe = world.drawing.value?.observers.find((item) => item.name === rest.join("."));
  const at = probe && numbersAt(probe.numbers, "position");
  if (part !== "observe" || !at) return;
  const changes: Edit[] = ([dx, dy] as const).flatMap((by, axis) =>
    by === 0 ? [] : [{ op: "set", path: [part, rest.join("."), "position", axis], value: tidy((at[axis] as number) + by) }],
  );
  await world.edit(changes, `nudge ${path}`);
}

/** Where the pointer would put a corner now [m]. */
export const cursor = signal<Point | null>(null);

/** The point of a sketch that snaps when it is moved. */
export function anchor(sketch: Sketch): Point {
  return sketch.shape === "rectangle" ? sketch.min : middle(sketch);
}
