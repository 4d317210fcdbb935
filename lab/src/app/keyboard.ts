/** Keys that work everywhere but in text fields. */

import { choose, corners, add, nudge, remove, tool } from "../draw/drawing";
import { gridStep } from "../draw/snap";
import { stepFrame, togglePlay } from "../state/playback";
import * as run from "../state/run";
import { start } from "../state/runs";
import { screen } from "../state/screen";
import * as view from "../state/view";
import * as world from "../state/world";
import { TOOLS } from "./left";

const ARROWS: Record<string, readonly [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

export function listen(): () => void {
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}

function onKey(event: KeyboardEvent): void {
  if (screen.value !== "lab" || event.defaultPrevented) return;
  const target = event.target as HTMLElement;
  const typing = target.closest("input, select, textarea, [contenteditable]");
  if ((event.ctrlKey || event.metaKey) && event.key === "Enter") {
    if (world.summary.value && world.problems.value.length === 0) void start();
  } else if (typing) return;
  else if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z") void (event.shiftKey ? world.redo() : world.undo());
  else if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "y") void world.redo();
  else if (event.ctrlKey || event.metaKey || event.altKey) return;
  else if (!act(event, target)) return;
  event.preventDefault();
}

/** True if the key meant something. */
function act(event: KeyboardEvent, target: HTMLElement): boolean {
  const chosen = world.selected.value;
  const arrow = ARROWS[event.key];
  if (arrow && chosen) {
    const step = gridStep(view.camera.value.scale) * (event.shiftKey ? 10 : 1);
    void nudge(chosen, arrow[0] * step, arrow[1] * step);
    return true;
  }
  if ((event.key === "Delete" || event.key === "Backspace") && chosen) {
    void remove(chosen);
    return true;
  }
  if (event.key === "Escape") {
    choose("select");
    world.selected.value = null;
    return true;
  }
  if (event.key === "Enter" && tool.value === "polygon" && corners.value.length >= 3) {
    void add({ shape: "polygon", points: corners.value });
    return true;
  }
  if (event.key === " " && run.kind.value === "run" && !target.closest("button, a, summary")) {
    togglePlay();
    return true;
  }
  if ((event.key === "," || event.key === ".") && run.kind.value === "run") {
    stepFrame(event.key === "," ? -1 : 1);
    return true;
  }
  const wanted = TOOLS.find((item) => item.key.toLowerCase() === event.key.toLowerCase());
  if (wanted && !event.shiftKey) choose(wanted.name);
  return wanted !== undefined;
}
