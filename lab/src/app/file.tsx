/** The world file as text: it changes while one draws, and drawing follows it. */

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { toml as tomlMode } from "@codemirror/legacy-modes/mode/toml";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { Annotation, EditorState } from "@codemirror/state";
import { EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { save } from "../canvas/capture";
import * as world from "../state/world";
import { Icon } from "./icons";
import { openFile } from "./screens";

const fromOutside = Annotation.define<boolean>();
const PAUSE = 250; // ms of no typing before the server is asked

const colors = HighlightStyle.define([
  { tag: tags.comment, color: "var(--ink-3)", fontStyle: "italic" },
  { tag: tags.propertyName, color: "var(--ink)" },
  { tag: tags.string, color: "var(--good)" },
  { tag: tags.number, color: "var(--series-2)" },
  { tag: tags.atom, color: "var(--accent)", fontWeight: "600" },
  { tag: tags.bool, color: "var(--series-3)" },
]);

const look = EditorView.theme({
  "&": { backgroundColor: "transparent", color: "var(--ink)" },
  ".cm-content": { caretColor: "var(--accent)" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--ink-3)", border: "none" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--accent) 8%, transparent)" },
  ".cm-selectionBackground, &.cm-focused .cm-selectionBackground": { backgroundColor: "var(--accent-soft) !important" },
  ".cm-cursor": { borderLeftColor: "var(--accent)" },
});

let editor: EditorView | null = null;
let wanted = 0;

/** Puts the cursor on a line when the editor is there. */
export function jumpTo(line: number): void {
  wanted = line;
  if (editor) land(editor);
}

function land(view: EditorView): void {
  if (wanted < 1 || wanted > view.state.doc.lines) return;
  const { from } = view.state.doc.line(wanted);
  wanted = 0;
  view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
  view.focus();
}

function attach(parent: HTMLElement): () => void {
  let timer = 0;
  let session = 0;
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: world.toml.value,
      extensions: [
        lineNumbers(),
        history(),
        highlightActiveLine(),
        keymap.of([...defaultKeymap, ...historyKeymap]),
        StreamLanguage.define(tomlMode),
        syntaxHighlighting(colors),
        lintGutter(),
        look,
        EditorView.contentAttributes.of({ "aria-label": "World file" }),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged || update.transactions.some((each) => each.annotation(fromOutside))) return;
          clearTimeout(timer);
          timer = window.setTimeout(() => void world.change(view.state.doc.toString(), `typing ${session}`), PAUSE);
        }),
        EditorView.domEventHandlers({
          focus: () => {
            session++;
          },
        }),
      ],
    }),
  });
  editor = view;
  const stopText = effect(() => replace(view, world.toml.value));
  const stopProblems = effect(() => {
    const found = world.problems.value.flatMap((problem): Diagnostic[] => {
      if (!problem.line || problem.line > view.state.doc.lines) return [];
      const line = view.state.doc.line(problem.line);
      return [{ from: line.from, to: line.to, severity: "error", message: `${problem.message} ${problem.remedy ?? ""}` }];
    });
    view.dispatch(setDiagnostics(view.state, found));
  });
  land(view);
  return () => {
    clearTimeout(timer);
    stopText();
    stopProblems();
    view.destroy();
    editor = null;
  };
}

/** Puts a new text, changing only what differs, so that cursor and scroll stay. */
function replace(view: EditorView, text: string): void {
  const old = view.state.doc.toString();
  if (old === text) return;
  let start = 0;
  while (start < old.length && start < text.length && old[start] === text[start]) start++;
  let end = 0;
  const most = Math.min(old.length, text.length) - start;
  while (end < most && old[old.length - 1 - end] === text[text.length - 1 - end]) end++;
  view.dispatch({
    changes: { from: start, to: old.length - end, insert: text.slice(start, text.length - end) },
    annotations: fromOutside.of(true),
    effects: EditorView.scrollIntoView(start, { y: "nearest", yMargin: 60 }),
  });
}

export function FilePanel() {
  const box = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => (box.current ? attach(box.current) : undefined), []);
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
