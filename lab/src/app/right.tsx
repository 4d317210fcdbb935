/** Setup and File: the same world, as fields and as text. */

import { signal } from "@preact/signals";
import * as world from "../state/world";
import { FilePanel } from "./file";
import { Setup } from "./setup";

export type Tab = "setup" | "file";
export const tab = signal<Tab>("setup");

const NAMES: Record<Tab, string> = { setup: "Setup", file: "File" };

export function Right() {
  const count = world.problems.value.length;
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return;
    tab.value = tab.value === "setup" ? "file" : "setup";
    document.getElementById(`tab-${tab.value}`)?.focus();
  };
  return (
    <aside class="right" aria-label="World">
      <div class="tabs" role="tablist" onKeyDown={onKey}>
        {(["setup", "file"] as const).map((name) => (
          <button
            key={name}
            id={`tab-${name}`}
            type="button"
            role="tab"
            aria-selected={tab.value === name}
            aria-controls="world-panel"
            tabIndex={tab.value === name ? 0 : -1}
            onClick={() => (tab.value = name)}
          >
            {NAMES[name]}
            {count > 0 && <span class="count" aria-label={`${count} problems`}>{count}</span>}
          </button>
        ))}
      </div>
      <div class="panel" id="world-panel" role="tabpanel" aria-labelledby={`tab-${tab.value}`}>
        {tab.value === "setup" ? <Setup /> : <FilePanel />}
      </div>
    </aside>
  );
}
