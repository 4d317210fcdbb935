/** Pointer, wheel and pinch on the canvas. */

import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import * as drawing from "../draw/drawing";
import { pulled, type Sketch, translated } from "../draw/shapes";
import { snap } from "../draw/snap";
import * as run from "../state/run";
import * as view from "../state/view";
import * as world from "../state/world";
import { pan, type Point, toWorld, zoomAt } from "./camera";
import { approach, orbit, turn } from "./orbit";
import { pick } from "./pick";

type Drag =
  | { kind: "pan" }
  | { kind: "body"; path: string; sketch: Sketch; from: Point; moved: boolean }
  | { kind: "handle"; path: string; sketch: Sketch; handle: string }
  | { kind: "draw"; from: Point };

const CLICK = 4; // CSS pixels that a click may slip
const CLOSES = 12; // CSS pixels from its first corner where a polygon closes

export function usePointer(box: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const pointer = new Pointer(element);
    return () => pointer.stop();
  }, []);
}

/** One pointer that pulls, draws or pans; two that pinch. */
class Pointer {
  private drag: Drag | null = null;
  private down: Point = [0, 0];
  private last: Point = [0, 0];
  private readonly touches = new Map<number, Point>();
  private readonly forget: (() => void)[] = [];

  constructor(private readonly element: HTMLElement) {
    this.on("pointerdown", (event) => this.press(event));
    this.on("pointermove", (event) => this.move(event));
    this.on("pointerup", (event) => this.lift(event));
    this.on("pointercancel", (event) => this.cancel(event));
    this.on("pointerleave", () => this.leave());
    this.on("wheel", (event) => this.wheel(event), { passive: false });
    this.on("dblclick", (event) => this.double(event));
  }

  stop(): void {
    for (const each of this.forget) each();
  }

  private on<Name extends keyof HTMLElementEventMap>(
    name: Name,
    handler: (event: HTMLElementEventMap[Name]) => void,
    options?: AddEventListenerOptions,
  ): void {
    this.element.addEventListener(name, handler, options);
    this.forget.push(() => this.element.removeEventListener(name, handler));
  }

  private place(event: MouseEvent): Point {
    const bounds = this.element.getBoundingClientRect();
    return [event.clientX - bounds.left, event.clientY - bounds.top];
  }

  // --- events of the browser ---

  private press(event: PointerEvent): void {
    if ((event.target as Element).closest(".hud, button, a, input")) return;
    const at = this.place(event);
    this.touches.set(event.pointerId, at);
    this.element.setPointerCapture(event.pointerId);
    if (this.touches.size === 2) {
      this.drag = null;
      drawing.ghost.value = null;
      return;
    }
    this.down = this.last = at;
    this.drag = begin(event, at);
  }

  private move(event: PointerEvent): void {
    const at = this.place(event);
    view.pointer.value = toWorld(view.camera.value, at);
    const touching = this.touches.has(event.pointerId);
    if (touching && this.touches.size === 2) this.pinch(event.pointerId, at);
    else if (this.drag) this.pull(event, this.drag, at);
    else if (!["select", "pan"].includes(drawing.tool.value) && run.kind.value !== "example") {
      drawing.cursor.value = snapped(event, at, null);
    }
    if (touching) this.touches.set(event.pointerId, at);
    this.last = at;
  }

  private lift(event: PointerEvent): void {
    this.touches.delete(event.pointerId);
    const { drag } = this;
    this.drag = null;
    if (drag) finish(event, drag, this.place(event), this.isClick(this.place(event)));
    drawing.guides.value = [];
  }

  private cancel(event: PointerEvent): void {
    this.touches.delete(event.pointerId);
    this.drag = null;
    drawing.ghost.value = null;
    drawing.guides.value = [];
  }

  private leave(): void {
    view.pointer.value = null;
    drawing.cursor.value = null;
    if (!this.drag) drawing.guides.value = [];
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const factor = Math.exp(-0.0016 * event.deltaY);
    if (run.isSolid.value) orbit.value = approach(orbit.value, factor);
    else view.moved.value = zoomAt(view.camera.value, this.place(event), factor, view.extent.value);
  }

  private double(event: MouseEvent): void {
    if ((event.target as Element).closest(".hud, button")) return;
    if (drawing.tool.value === "polygon" && drawing.corners.value.length >= 3) {
      void drawing.add({ shape: "polygon", points: drawing.corners.value });
    } else if (!(event.target as Element).closest("[data-path]")) view.moved.value = null;
  }

  // --- what they do ---

  private isClick(at: Point): boolean {
    return Math.hypot(at[0] - this.down[0], at[1] - this.down[1]) < CLICK;
  }

  private pull(event: PointerEvent, drag: Drag, at: Point): void {
    const [dx, dy] = [at[0] - this.last[0], at[1] - this.last[1]];
    if (drag.kind === "pan") {
      if (run.isSolid.value) orbit.value = turn(orbit.value, dx, dy);
      else view.moved.value = pan(view.camera.value, dx, dy);
    } else if (drag.kind === "body") {
      if (!drag.moved && this.isClick(at)) return;
      drag.moved = true;
      drawing.pull(drag.path, dragged(event, drag, at));
    } else if (drag.kind === "handle") {
      drawing.pull(drag.path, pulled(drag.sketch, drag.handle, snapped(event, at, drag.path)));
    } else {
      const sketch = drawing.made(drawing.tool.value, drag.from, snapped(event, at, null), spacing());
      drawing.ghost.value = sketch && { path: null, sketch };
    }
  }

  private pinch(id: number, at: Point): void {
    const [still] = [...this.touches].filter(([other]) => other !== id).map(([, point]) => point);
    const before = this.touches.get(id);
    if (!still || !before) return;
    const apart = (p: Point): number => Math.max(1, Math.hypot(p[0] - still[0], p[1] - still[1]));
    const factor = apart(at) / apart(before);
    if (run.isSolid.value) orbit.value = approach(orbit.value, factor);
    else view.moved.value = zoomAt(view.camera.value, still, factor, view.extent.value);
  }
}

/** What a press on this place begins. */
function begin(event: PointerEvent, at: Point): Drag | null {
  const target = event.target as Element;
  const path = target.closest("[data-path]")?.getAttribute("data-path") ?? null;
  const handle = target.closest("[data-handle]")?.getAttribute("data-handle") ?? null;
  const tool = drawing.tool.value;
  if (event.button === 1 || tool === "pan" || run.isSolid.value || run.kind.value === "example") return { kind: "pan" };
  if (event.button !== 0) return null;
  if (tool !== "select") return { kind: "draw", from: snapped(event, at, null) };
  if (!path) return { kind: "pan" };
  world.selected.value = path;
  const sketch = drawing.sketchAt(path);
  if (!sketch) return null;
  drawing.begin(path);
  if (handle) return { kind: "handle", path, sketch, handle };
  return { kind: "body", path, sketch, from: toWorld(view.camera.value, at), moved: false };
}

function finish(event: PointerEvent, drag: Drag, at: Point, click: boolean): void {
  if (drag.kind === "body" || drag.kind === "handle") void drawing.release(drag.path);
  else if (drag.kind === "draw") drawn(drag.from, snapped(event, at, null), click);
  else if (click && drawing.tool.value === "select") {
    world.selected.value = null;
    pick(toWorld(view.camera.value, at));
  }
}

function drawn(from: Point, to: Point, click: boolean): void {
  const tool = drawing.tool.value;
  if (tool === "probe") void drawing.addProbe(to);
  else if (tool === "polygon") corner(to);
  else {
    const sketch = drawing.made(tool, from, to, spacing());
    if (sketch && !click) void drawing.add(sketch);
    else drawing.ghost.value = null;
  }
}

/** One more corner; near the first one the polygon closes. */
function corner(to: Point): void {
  const [first] = drawing.corners.value;
  const count = drawing.corners.value.length;
  const scale = view.camera.value.scale;
  if (first && count >= 3 && Math.hypot(to[0] - first[0], to[1] - first[1]) * scale < CLOSES) {
    void drawing.add({ shape: "polygon", points: drawing.corners.value });
  } else drawing.corners.value = [...drawing.corners.value, to];
}

function snapped(event: PointerEvent, at: Point, except: string | null): Point {
  const { scale } = view.camera.value;
  const found = snap(toWorld(view.camera.value, at), scale, drawing.attractors(except), event.altKey);
  drawing.guides.value = found.guides;
  return found.at;
}

/** The middle of the body snaps, not the point that was grabbed. */
function dragged(event: PointerEvent, { path, sketch, from }: Drag & { kind: "body" }, at: Point): Sketch {
  const now = toWorld(view.camera.value, at);
  const anchor = drawing.anchor(sketch);
  const wanted: Point = [anchor[0] + now[0] - from[0], anchor[1] + now[1] - from[1]];
  const found = snap(wanted, view.camera.value.scale, drawing.attractors(path), event.altKey);
  drawing.guides.value = found.guides;
  return translated(sketch, found.at[0] - anchor[0], found.at[1] - anchor[1]);
}

function spacing(): number {
  return world.drawing.value?.spacing ?? 1e-6;
}
