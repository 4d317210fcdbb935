/** The sidebar: Setup shows the world as fields, File as text. In small windows it also lists the bodies. */

import { signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { hasSheet, hasToolStrip, sheetOpen } from "../state/layout";
import * as world from "../state/world";
import { FilePanel } from "./file";
import { Icon } from "./icons";
import { ObjectList } from "./tools";
import { close, closeOnEscape, useFocusOnOpen } from "./disclosure";
import { Setup } from "./setup";

export type Tab = "setup" | "bodies" | "file";
export const tab = signal<Tab>("setup");

const NAMES: Record<Tab, string> = { setup: "Setup", bodies: "Bodies", file: "File" };

/** The sidebar; in small windows a sheet that can be opened and closed. */
export function Sidebar() {
  const box = useRef<HTMLElement>(null);
  const isSheet = hasSheet.value;
  const open = !isSheet || sheetOpen.value;
  useFocusOnOpen(open, box, "[role=tab][aria-selected=true]");
  if (!open) return null;
  return (
    <aside class="right" id="world" aria-label="World" ref={box} onKeyDown={isSheet ? closeOnEscape(sheetOpen, "world") : undefined}>
      <Tabs />
    </aside>
  );
}

function Tabs() {
  const names: readonly Tab[] = hasToolStrip.value ? ["setup", "bodies", "file"] : ["setup", "file"];
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
              {count > 0 && name !== "bodies" && <ProblemCount of={count} />}
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
        {{ setup: () => <Setup />, bodies: () => <ObjectList />, file: () => <FilePanel /> }[shown]()}
      </div>
    </>
  );
}

/** The number of problems of the world. */
export function ProblemCount({ of }: { of: number }) {
  return (
    <span class="count" aria-label={`${of} ${of === 1 ? "problem" : "problems"}`}>
      {of}
    </span>
  );
}
