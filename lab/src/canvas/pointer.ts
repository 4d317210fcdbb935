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

export function usePointer(box: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = box.current;
    return element ? listen(element) : undefined;
  }, []);
}

function listen(element: HTMLElement): () => void {
  let drag: Drag | null = null;
  let [down, last]: [Point, Point] = [[0, 0], [0, 0]];
  const touches = new Map<number, Point>();

  const place = (event: PointerEvent | WheelEvent | MouseEvent): Point => {
    const bounds = element.getBoundingClientRect();
    return [event.clientX - bounds.left, event.clientY - bounds.top];
  };
  const snapped = (event: PointerEvent, at: Point, except: string | null): Point => {
    const found = snap(toWorld(view.camera.value, at), view.camera.value.scale, drawing.attractors(except), event.altKey);
    drawing.guides.value = found.guides;
    return found.at;
  };

  const begin = (event: PointerEvent, at: Point): Drag | null => {
    const target = event.target as Element;
    const path = target.closest("[data-path]")?.getAttribute("data-path") ?? null;
    const handle = target.closest("[data-handle]")?.getAttribute("data-handle") ?? null;
    const tool = drawing.tool.value;
    if (event.button === 1 || tool === "pan" || isSolid() || run.kind.value === "example") return { kind: "pan" };
    if (event.button !== 0) return null;
    if (tool === "select") {
      if (!path) return { kind: "pan" };
      world.selected.value = path;
      const sketch = drawing.sketchAt(path);
      if (!sketch) return null;
      drawing.begin(path);
      if (handle) return { kind: "handle", path, sketch, handle };
      return { kind: "body", path, sketch, from: toWorld(view.camera.value, at), moved: false };
    }
    return { kind: "draw", from: snapped(event, at, null) };
  };

  const move = (event: PointerEvent, at: Point): void => {
    if (!drag) return;
    if (drag.kind === "pan") {
      if (isSolid()) orbit.value = turn(orbit.value, at[0] - last[0], at[1] - last[1]);
      else view.moved.value = pan(view.camera.value, at[0] - last[0], at[1] - last[1]);
    } else if (drag.kind === "body") {
      if (!drag.moved && Math.hypot(at[0] - down[0], at[1] - down[1]) < CLICK) return;
      drag.moved = true;
      drawing.pull(drag.path, dragged(event, drag, at));
    } else if (drag.kind === "handle") {
      const to = snapped(event, at, drag.path);
      drawing.pull(drag.path, pulled(drag.sketch, drag.handle, to));
    } else {
      const sketch = drawing.made(drawing.tool.value, drag.from, snapped(event, at, null), spacing());
      drawing.ghost.value = sketch && { path: null, sketch };
    }
  };

  /** The middle of the body snaps, not the point that was grabbed. */
  const dragged = (event: PointerEvent, { path, sketch, from }: Drag & { kind: "body" }, at: Point): Sketch => {
    const now = toWorld(view.camera.value, at);
    const anchor = drawing.anchor(sketch);
    const wanted: Point = [anchor[0] + now[0] - from[0], anchor[1] + now[1] - from[1]];
    const found = snap(wanted, view.camera.value.scale, drawing.attractors(path), event.altKey);
    drawing.guides.value = found.guides;
    return translated(sketch, found.at[0] - anchor[0], found.at[1] - anchor[1]);
  };

  const finish = (event: PointerEvent, at: Point): void => {
    const done = drag;
    drag = null;
    drawing.guides.value = [];
    const click = Math.hypot(at[0] - down[0], at[1] - down[1]) < CLICK;
    if (!done) return;
    if (done.kind === "body" || done.kind === "handle") {
      void drawing.release(done.path);
    } else if (done.kind === "draw") {
      drawn(done.from, snapped(event, at, null), click);
    } else if (click && drawing.tool.value === "select") {
      world.selected.value = null;
      pick(toWorld(view.camera.value, at));
    }
    drawing.guides.value = [];
  };

  const drawn = (from: Point, to: Point, click: boolean): void => {
    const tool = drawing.tool.value;
    if (tool === "probe") void drawing.addProbe(to);
    else if (tool === "polygon") corner(to);
    else {
      const sketch = drawing.made(tool, from, to, spacing());
      if (sketch && !click) void drawing.add(sketch);
      else drawing.ghost.value = null;
    }
  };

  /** One more corner; near the first one the polygon closes. */
  const corner = (to: Point): void => {
    const [first] = drawing.corners.value;
    const count = drawing.corners.value.length;
    if (first && count >= 3 && Math.hypot(to[0] - first[0], to[1] - first[1]) * view.camera.value.scale < 12) {
      void drawing.add({ shape: "polygon", points: drawing.corners.value });
    } else drawing.corners.value = [...drawing.corners.value, to];
  };

  const onDown = (event: PointerEvent): void => {
    if ((event.target as Element).closest(".hud, button, a, input")) return;
    const at = place(event);
    touches.set(event.pointerId, at);
    element.setPointerCapture(event.pointerId);
    if (touches.size === 2) {
      drag = null;
      drawing.ghost.value = null;
      return;
    }
    [down, last] = [at, at];
    drag = begin(event, at);
  };
  const onMove = (event: PointerEvent): void => {
    const at = place(event);
    view.pointer.value = toWorld(view.camera.value, at);
    if (touches.has(event.pointerId) && touches.size === 2) pinch(event.pointerId, at);
    else move(event, at);
    if (!drag && drawing.tool.value !== "select" && drawing.tool.value !== "pan" && run.kind.value !== "example") {
      drawing.cursor.value = snapped(event, at, null);
    }
    touches.has(event.pointerId) && touches.set(event.pointerId, at);
    last = at;
  };
  const pinch = (id: number, at: Point): void => {
    const [still] = [...touches].filter(([other]) => other !== id).map(([, point]) => point);
    const before = touches.get(id);
    if (!still || !before) return;
    const factor = Math.hypot(at[0] - still[0], at[1] - still[1]) / Math.max(1, Math.hypot(before[0] - still[0], before[1] - still[1]));
    view.moved.value = zoomAt(view.camera.value, still, factor, view.extent.value);
  };
  const onUp = (event: PointerEvent): void => {
    touches.delete(event.pointerId);
    finish(event, place(event));
  };
  const onCancel = (event: PointerEvent): void => {
    touches.delete(event.pointerId);
    drag = null;
    drawing.ghost.value = null;
    drawing.guides.value = [];
  };
  const onLeave = (): void => {
    view.pointer.value = null;
    drawing.cursor.value = null;
    if (!drag) drawing.guides.value = [];
  };
  const onWheel = (event: WheelEvent): void => {
    event.preventDefault();
    if (isSolid()) orbit.value = approach(orbit.value, Math.exp(-0.0016 * event.deltaY));
    else view.moved.value = zoomAt(view.camera.value, place(event), Math.exp(-0.0016 * event.deltaY), view.extent.value);
  };
  const onDouble = (event: MouseEvent): void => {
    if ((event.target as Element).closest(".hud, button")) return;
    if (drawing.tool.value === "polygon" && drawing.corners.value.length >= 3) {
      void drawing.add({ shape: "polygon", points: drawing.corners.value });
    } else if (!(event.target as Element).closest("[data-path]")) view.moved.value = null;
  };

  const events: [string, EventListener, AddEventListenerOptions?][] = [
    ["pointerdown", onDown as EventListener],
    ["pointermove", onMove as EventListener],
    ["pointerup", onUp as EventListener],
    ["pointercancel", onCancel as EventListener],
    ["pointerleave", onLeave],
    ["wheel", onWheel as EventListener, { passive: false }],
    ["dblclick", onDouble as EventListener],
  ];
  for (const [name, handler, options] of events) element.addEventListener(name, handler, options);
  return () => {
    for (const [name, handler] of events) element.removeEventListener(name, handler);
  };
}

/** Whether a flow in three dimensions is shown: then the pointer turns it. */
function isSolid(): boolean {
  return run.kind.value === "run" && run.hello.value?.dimensions === 3;
}

function spacing(): number {
  return world.drawing.value?.spacing ?? 1e-6;
}
