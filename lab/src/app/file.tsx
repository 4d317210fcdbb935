/** The world file as text: it changes while one draws, and drawing follows it. */

import { useEffect, useRef } from "preact/hooks";
import { save } from "../canvas/keep";
import { notify } from "../state/notices";
import * as world from "../state/world";
import type { Editor } from "./editor";
import { Icon } from "./icons";
import { openFile } from "./screens";

let editor: Editor | null = null;
let wanted = 0;

/** Puts the cursor on a line when the editor is there. */
export function jumpTo(line: number): void {
  wanted = line;
  land();
}

function land(): void {
  if (!editor || wanted < 1) return;
  editor.jumpTo(wanted);
  wanted = 0;
}

export function FilePanel() {
  const box = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const parent = box.current;
    let left = false;
    const coming = import("./editor");
    coming
      .then(({ edit }) => {
        if (left || !parent) return;
        editor = edit(parent);
        land();
      })
      .catch((error: unknown) => notify("problem", `The editor cannot be loaded: ${String(error)}`));
    return () => {
      left = true;
      editor?.close();
      editor = null;
    };
  }, []);
  return (
    <div class="file">
      <div class="bar">
        <button type="button" class="button small" onClick={() => input.current?.click()}>
          <Icon name="open" /> Open
        </button>
        <button type="button" class="button small" onClick={() => save(new Blob([world.toml.value], { type: "application/toml" }), `${world.name.value}.toml`)}>
          <Icon name="save" /> Save
        </button>
        <input ref={input} class="hidden" type="file" tabIndex={-1} aria-label="Open a world file" accept=".toml,.png,.mp4" onChange={(event) => void openFile(event.currentTarget.files?.[0])} />
      </div>
      <div class="editor" ref={box} />
    </div>
  );
}
