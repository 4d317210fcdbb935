/** Pointer, wheel and pinch gestures on the canvas. */

import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import * as drawing from "../draw/drawing";
import { withHandleAt, type Sketch, translated } from "../draw/shapes";
import { snap } from "../draw/snap";
import * as run from "../state/run";
import * as view from "../state/view";
import * as world from "../state/world";
import { pan, type Point, toWorld, zoomAt } from "./camera";
import { orbit, rotateOrbit, zoomOrbit } from "./orbit";
import { pickParticle } from "./pick";

type Drag =
  | { kind: "pan" }
  | { kind: "body"; path: string; sketch: Sketch; from: Point; moved: boolean }
  | { kind: "handle"; path: string; sketch: Sketch; handle: string }
  | { kind: "draw"; from: Point };

const CLICK_TOLERANCE = 4; // CSS pixels; a larger movement is a drag
const CLOSE_RADIUS = 12; // CSS pixels around the first corner within which a click closes a polygon

export function usePointer(box: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const pointer = new PointerHandler(element);
    return () => pointer.stop();
  }, []);
}

/** One pointer drags, draws or pans; two pointers pinch. */
class PointerHandler {
  private drag: Drag | null = null;
  private down: Point = [0, 0];
  private last: Point = [0, 0];
  private readonly touches = new Map<number, Point>();
  private readonly cleanup: (() => void)[] = [];

  constructor(private readonly element: HTMLElement) {
    this.on("pointerdown", (event) => this.onPress(event));
    this.on("pointermove", (event) => this.onMove(event));
    this.on("pointerup", (event) => this.onRelease(event));
    this.on("pointercancel", (event) => this.onCancel(event));
    this.on("pointerleave", () => this.onLeave());
    this.on("wheel", (event) => this.onWheel(event), { passive: false });
    this.on("dblclick", (event) => this.onDoubleClick(event));
  }

  stop(): void {
    for (const each of this.cleanup) each();
  }

  private on<Name extends keyof HTMLElementEventMap>(
    name: Name,
    handler: (event: HTMLElementEventMap[Name]) => void,
    options?: AddEventListenerOptions,
  ): void {
    this.element.addEventListener(name, handler, options);
    this.cleanup.push(() => this.element.removeEventListener(name, handler));
  }

  private screenPosition(event: MouseEvent): Point {
    const bounds = this.element.getBoundingClientRect();
    return [event.clientX - bounds.left, event.clientY - bounds.top];
  }

  // --- browser events ---

  private onPress(event: PointerEvent): void {
    if ((event.target as Element).closest(".hud, button, a, input")) return;
    const at = this.screenPosition(event);
    this.touches.set(event.pointerId, at);
    this.element.setPointerCapture(event.pointerId);
    if (this.touches.size === 2) {
      this.drag = null;
      drawing.ghost.value = null;
      return;
    }
    this.down = this.last = at;
    this.drag = startDrag(event, at);
  }

  private onMove(event: PointerEvent): void {
    const at = this.screenPosition(event);
    view.pointer.value = toWorld(view.camera.value, at);
    const touching = this.touches.has(event.pointerId);
    if (touching && this.touches.size === 2) this.pinch(event.pointerId, at);
    else if (this.drag) this.dragTo(event, this.drag, at);
    else if (!["select", "pan"].includes(drawing.tool.value) && run.kind.value !== "example") {
      drawing.cursor.value = snappedPosition(event, at, null);
    }
    if (touching) this.touches.set(event.pointerId, at);
    this.last = at;
  }

  private onRelease(event: PointerEvent): void {
    this.touches.delete(event.pointerId);
    const { drag } = this;
    this.drag = null;
    if (drag) endDrag(event, drag, this.screenPosition(event), this.isClick(this.screenPosition(event)));
    drawing.guides.value = [];
  }

  private onCancel(event: PointerEvent): void {
    this.touches.delete(event.pointerId);
    this.drag = null;
    drawing.ghost.value = null;
    drawing.guides.value = [];
  }

  private onLeave(): void {
    view.pointer.value = null;
    drawing.cursor.value = null;
    if (!this.drag) drawing.guides.value = [];
  }

  private onWheel(event: WheelEvent): void {
    event.preventDefault();
    const factor = Math.exp(-0.0016 * event.deltaY);
    if (run.is3d.value) orbit.value = zoomOrbit(orbit.value, factor);
    else view.userCamera.value = zoomAt(view.camera.value, this.screenPosition(event), factor, view.extent.value);
  }

  private onDoubleClick(event: MouseEvent): void {
    if ((event.target as Element).closest(".hud, button")) return;
    if (drawing.tool.value === "polygon" && drawing.corners.value.length >= 3) {
      void drawing.add({ shape: "polygon", points: drawing.corners.value });
    } else if (!(event.target as Element).closest("[data-path]")) view.userCamera.value = null;
  }

  // --- actions ---

  private isClick(at: Point): boolean {
    return Math.hypot(at[0] - this.down[0], at[1] - this.down[1]) < CLICK_TOLERANCE;
  }

  private dragTo(event: PointerEvent, drag: Drag, at: Point): void {
    const [dx, dy] = [at[0] - this.last[0], at[1] - this.last[1]];
    if (drag.kind === "pan") {
      if (run.is3d.value) orbit.value = rotateOrbit(orbit.value, dx, dy);
      else view.userCamera.value = pan(view.camera.value, dx, dy);
    } else if (drag.kind === "body") {
      if (!drag.moved && this.isClick(at)) return;
      drag.moved = true;
      drawing.dragShape(drag.path, draggedSketch(event, drag, at));
    } else if (drag.kind === "handle") {
      drawing.dragShape(drag.path, withHandleAt(drag.sketch, drag.handle, snappedPosition(event, at, drag.path)));
    } else {
      const sketch = drawing.sketchFromDrag(drawing.tool.value, drag.from, snappedPosition(event, at, null), spacing());
      drawing.ghost.value = sketch && { path: null, sketch };
    }
  }

  private pinch(id: number, at: Point): void {
    const [fixed] = [...this.touches].filter(([other]) => other !== id).map(([, point]) => point);
    const before = this.touches.get(id);
    if (!fixed || !before) return;
    const distance = (p: Point): number => Math.max(1, Math.hypot(p[0] - fixed[0], p[1] - fixed[1]));
    const factor = distance(at) / distance(before);
    if (run.is3d.value) orbit.value = zoomOrbit(orbit.value, factor);
    else view.userCamera.value = zoomAt(view.camera.value, fixed, factor, view.extent.value);
  }
}

/** The drag that a press at this point starts. */
function startDrag(event: PointerEvent, at: Point): Drag | null {
  const target = event.target as Element;
  const path = target.closest("[data-path]")?.getAttribute("data-path") ?? null;
  const handle = target.closest("[data-handle]")?.getAttribute("data-handle") ?? null;
  const tool = drawing.tool.value;
  if (event.button === 1 || tool === "pan" || run.is3d.value || run.kind.value === "example") return { kind: "pan" };
  if (event.button !== 0) return null;
  if (tool !== "select") return { kind: "draw", from: snappedPosition(event, at, null) };
  if (!path) return { kind: "pan" };
  world.selected.value = path;
  const sketch = drawing.sketchAt(path);
  if (!sketch) return null;
  drawing.beginDrag(path);
  if (handle) return { kind: "handle", path, sketch, handle };
  return { kind: "body", path, sketch, from: toWorld(view.camera.value, at), moved: false };
}

function endDrag(event: PointerEvent, drag: Drag, at: Point, click: boolean): void {
  if (drag.kind === "body" || drag.kind === "handle") void drawing.endDrag(drag.path);
  else if (drag.kind === "draw") finishShape(drag.from, snappedPosition(event, at, null), click);
  else if (click && drawing.tool.value === "select") {
    world.selected.value = null;
    pickParticle(toWorld(view.camera.value, at));
  }
}

function finishShape(from: Point, to: Point, click: boolean): void {
  const tool = drawing.tool.value;
  if (tool === "probe") void drawing.addProbe(to);
  else if (tool === "polygon") addCorner(to);
  else {
    const sketch = drawing.sketchFromDrag(tool, from, to, spacing());
    if (sketch && !click) void drawing.add(sketch);
    else drawing.ghost.value = null;
  }
}

/** Adds a corner to the polygon, or closes it near the first corner. */
function addCorner(to: Point): void {
  const [first] = drawing.corners.value;
  const count = drawing.corners.value.length;
  const scale = view.camera.value.scale;
  if (first && count >= 3 && Math.hypot(to[0] - first[0], to[1] - first[1]) * scale < CLOSE_RADIUS) {
    void drawing.add({ shape: "polygon", points: drawing.corners.value });
  } else drawing.corners.value = [...drawing.corners.value, to];
}

function snappedPosition(event: PointerEvent, at: Point, except: string | null): Point {
  const { scale } = view.camera.value;
  const found = snap(toWorld(view.camera.value, at), scale, drawing.snapGuides(except), event.altKey);
  drawing.guides.value = found.guides;
  return found.at;
}

/** Moves a shape. Its centre snaps, not the grabbed point. */
function draggedSketch(event: PointerEvent, { path, sketch, from }: Drag & { kind: "body" }, at: Point): Sketch {
  const now = toWorld(view.camera.value, at);
  const anchor = drawing.snapPoint(sketch);
  const wanted: Point = [anchor[0] + now[0] - from[0], anchor[1] + now[1] - from[1]];
  const found = snap(wanted, view.camera.value.scale, drawing.snapGuides(path), event.altKey);
  drawing.guides.value = found.guides;
  return translated(sketch, found.at[0] - anchor[0], found.at[1] - anchor[1]);
}

function spacing(): number {
  return world.drawing.value?.spacing ?? 1e-6;
}
