/** Keyboard shortcuts, active everywhere except in text fields. */

import { chooseTool, corners, add, nudge, remove, tool } from "../draw/drawing";
import { gridStep } from "../draw/snap";
import { stepFrame, togglePlay } from "../state/playback";
import * as run from "../state/run";
import { start } from "../state/runs";
import { screen } from "../state/screen";
import * as view from "../state/view";
import * as world from "../state/world";
import { TOOLS } from "./tools";

const ARROWS: Record<string, readonly [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

export function listenToKeys(): () => void {
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}

function onKey(event: KeyboardEvent): void {
  if (screen.value !== "lab" || event.defaultPrevented) return;
  const target = event.target as HTMLElement;
  const isTyping = target.closest("input, select, textarea, [contenteditable]");
  if ((event.ctrlKey || event.metaKey) && event.key === "Enter") {
    if (world.summary.value && world.problems.value.length === 0) void start();
  } else if (isTyping) return;
  else if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z") void (event.shiftKey ? world.redo() : world.undo());
  else if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "y") void world.redo();
  else if (event.ctrlKey || event.metaKey || event.altKey) return;
  else if (!handleKey(event, target)) return;
  event.preventDefault();
}

/** Handles a key; returns whether it had a meaning. */
function handleKey(event: KeyboardEvent, target: HTMLElement): boolean {
  const selected = world.selected.value;
  const arrow = ARROWS[event.key];
  if (arrow && selected) {
    const step = gridStep(view.camera.value.scale) * (event.shiftKey ? 10 : 1);
    void nudge(selected, arrow[0] * step, arrow[1] * step);
    return true;
  }
  if ((event.key === "Delete" || event.key === "Backspace") && selected) {
    void remove(selected);
    return true;
  }
  if (event.key === "Escape") {
    chooseTool("select");
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
  const toolOfKey = TOOLS.find((item) => item.key.toLowerCase() === event.key.toLowerCase());
  if (toolOfKey && !event.shiftKey) chooseTool(toolOfKey.name);
  return toolOfKey !== undefined;
}
