/** Setup and File: the same world, as fields and as text; beside a strip of tools also the list of its bodies. */

import { signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { hasSheet, hasStrip, sheetOpen } from "../state/room";
import * as world from "../state/world";
import { FilePanel } from "./file";
import { Icon } from "./icons";
import { Contents } from "./left";
import { close, closesOnEscape, useOpening } from "./opening";
import { Setup } from "./setup";

export type Tab = "setup" | "bodies" | "file";
export const tab = signal<Tab>("setup");

const NAMES: Record<Tab, string> = { setup: "Setup", bodies: "Bodies", file: "File" };

/** In a window with little room a sheet, which is there while it is open. */
export function Right() {
  const box = useRef<HTMLElement>(null);
  const isSheet = hasSheet.value;
  const open = !isSheet || sheetOpen.value;
  useOpening(open, box, "[role=tab][aria-selected=true]");
  if (!open) return null;
  return (
    <aside class="right" id="world" aria-label="World" ref={box} onKeyDown={isSheet ? closesOnEscape(sheetOpen, "world") : undefined}>
      <Tabs />
    </aside>
  );
}

function Tabs() {
  const names: readonly Tab[] = hasStrip.value ? ["setup", "bodies", "file"] : ["setup", "file"];
  const shown = names.includes(tab.value) ? tab.value : "setup";
  const count = world.problems.value.length;
  const onKey = (event: KeyboardEvent): void => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.stopPropagation();
    tab.value = names[(names.indexOf(shown) + by + names.length) % names.length] ?? "setup";
    document.getElementById(`tab-${tab.value}`)?.focus();
  };
  return (
    <>
      <div class="tab-bar">
        <div class="tabs" role="tablist" aria-label="World" onKeyDown={onKey}>
          {names.map((name) => (
            <button
              key={name}
              id={`tab-${name}`}
              type="button"
              role="tab"
              aria-selected={shown === name}
              aria-controls="world-panel"
              tabIndex={shown === name ? 0 : -1}
              onClick={() => (tab.value = name)}
            >
              {NAMES[name]}
              {count > 0 && name !== "bodies" && <Count of={count} />}
            </button>
          ))}
        </div>
        {hasSheet.value && (
          <button type="button" class="button bare icon" aria-label="Close Setup" title="Close (Escape)" onClick={() => close(sheetOpen, "world")}>
            <Icon name="close" />
          </button>
        )}
      </div>
      <div class="panel" id="world-panel" role="tabpanel" aria-labelledby={`tab-${shown}`}>
        {{ setup: () => <Setup />, bodies: () => <Contents />, file: () => <FilePanel /> }[shown]()}
      </div>
    </>
  );
}

/** How many things are to be mended. */
export function Count({ of }: { of: number }) {
  return (
    <span class="count" aria-label={`${of} ${of === 1 ? "problem" : "problems"}`}>
      {of}
    </span>
  );
}
