/** The world file as text, synchronised with the drawing. */

import { useEffect, useRef } from "preact/hooks";
import { save } from "../canvas/save";
import { notify } from "../state/notices";
import * as world from "../state/world";
import type { Editor } from "./editor";
import { Icon } from "./icons";
import { openFile } from "./navigation";
import { Problems } from "./problems";

let editor: Editor | null = null;
let requestedLine = 0;

/** Moves the cursor to a line as soon as the editor is loaded. */
export function jumpTo(line: number): void {
  requestedLine = line;
  moveCursor();
}

function moveCursor(): void {
  if (!editor || requestedLine < 1) return;
  editor.jumpTo(requestedLine);
  requestedLine = 0;
}

export function FilePanel() {
  const box = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const parent = box.current;
    let isUnmounted = false;
    const loading = import("./editor");
    loading
      .then(({ createEditor }) => {
        if (isUnmounted || !parent) return;
        editor = createEditor(parent);
        moveCursor();
      })
      .catch((error: unknown) => notify("problem", `Could not load the editor: ${String(error)}`));
    return () => {
      isUnmounted = true;
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
      <Problems />
      <div class="editor" ref={box} />
    </div>
  );
}
