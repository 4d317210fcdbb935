/** Editor of the world file. It is half of the page's code and is loaded when first shown. */

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { toml as tomlMode } from "@codemirror/legacy-modes/mode/toml";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { Annotation, EditorState } from "@codemirror/state";
import { EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { effect } from "@preact/signals";
import * as world from "../state/world";

const externalChange = Annotation.define<boolean>();
const TYPING_DELAY = 250; // ms without typing before the server checks the text

const highlighting = HighlightStyle.define([
  { tag: tags.comment, color: "var(--ink-3)", fontStyle: "italic" },
  { tag: tags.propertyName, color: "var(--ink)" },
  { tag: tags.string, color: "var(--good)" },
  { tag: tags.number, color: "var(--series-2)" },
  { tag: tags.atom, color: "var(--accent)", fontWeight: "600" },
  { tag: tags.bool, color: "var(--series-3)" },
]);

const editorTheme = EditorView.theme({
  "&": { backgroundColor: "transparent", color: "var(--ink)" },
  ".cm-content:focus-visible": { boxShadow: "none" }, // the frame shows the focus
  ".cm-content": { caretColor: "var(--accent)" },
  ".cm-gutters": { backgroundColor: "var(--panel)", color: "var(--ink-3)", border: "none" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--accent) 8%, transparent)" },
  ".cm-selectionBackground, &.cm-focused .cm-selectionBackground": { backgroundColor: "var(--accent-soft) !important" },
  ".cm-cursor": { borderLeftColor: "var(--accent)" },
});

/** Moves the cursor to a line. */
function moveCursorTo(view: EditorView, line: number): void {
  if (line < 1 || line > view.state.doc.lines) return;
  const { from } = view.state.doc.line(line);
  view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
  view.focus();
}

export interface Editor {
  jumpTo(line: number): void;
  close(): void;
}

/** Creates an editor of the world file inside `parent`. */
export function createEditor(parent: HTMLElement): Editor {
  let timer = 0;
  let typingSession = 0;
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
        syntaxHighlighting(highlighting),
        lintGutter(),
        editorTheme,
        EditorView.contentAttributes.of({ "aria-label": "World file", tabindex: "0" }),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged || update.transactions.some((each) => each.annotation(externalChange))) return;
          clearTimeout(timer);
          timer = window.setTimeout(() => void world.setText(view.state.doc.toString(), `typing ${typingSession}`), TYPING_DELAY);
        }),
        EditorView.domEventHandlers({
          focus: () => {
            typingSession++;
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
    jumpTo: (line) => moveCursorTo(view, line),
    close() {
      clearTimeout(timer);
      stopText();
      stopProblems();
      view.destroy();
    },
  };
}

/** Replaces the part of the text that differs, so that cursor and scroll position stay. */
function replace(view: EditorView, text: string): void {
  const old = view.state.doc.toString();
  if (old === text) return;
  let start = 0;
  while (start < old.length && start < text.length && old[start] === text[start]) start++;
  let end = 0;
  const limit = Math.min(old.length, text.length) - start;
  while (end < limit && old[old.length - 1 - end] === text[text.length - 1 - end]) end++;
  view.dispatch({
    changes: { from: start, to: old.length - end, insert: text.slice(start, text.length - end) },
    annotations: externalChange.of(true),
    effects: EditorView.scrollIntoView(start, { y: "nearest", yMargin: 60 }),
  });
}
