/** The editor of the world file. Loaded when it is first shown: it is half of the page's code. */

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { toml as tomlMode } from "@codemirror/legacy-modes/mode/toml";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { Annotation, EditorState } from "@codemirror/state";
import { EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { effect } from "@preact/signals";
import * as world from "../state/world";

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

/** Puts the cursor on a line. */
function land(view: EditorView, line: number): void {
  if (line < 1 || line > view.state.doc.lines) return;
  const { from } = view.state.doc.line(line);
  view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
  view.focus();
}

export interface Editor {
  jumpTo(line: number): void;
  close(): void;
}

/** The text of the world, edited in `parent`. */
export function edit(parent: HTMLElement): Editor {
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
        EditorView.contentAttributes.of({ "aria-label": "World file", tabindex: "0" }),
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
  const stopText = effect(() => replace(view, world.toml.value));
  const stopProblems = effect(() => {
    const found = world.problems.value.flatMap((problem): Diagnostic[] => {
      if (!problem.line || problem.line > view.state.doc.lines) return [];
      const line = view.state.doc.line(problem.line);
      return [{ from: line.from, to: line.to, severity: "error", message: `${problem.message} ${problem.remedy ?? ""}` }];
    });
    view.dispatch(setDiagnostics(view.state, found));
  });
  return {
    jumpTo: (line) => land(view, line),
    close() {
      clearTimeout(timer);
      stopText();
      stopProblems();
      view.destroy();
    },
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
