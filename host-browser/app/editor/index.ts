/**
 * The editor for manifests: CodeMirror 6 in parts, a separate bundle.
 *
 * Invariant: it lives in a shadow root. There CodeMirror uses constructed style sheets, which a strict content security
 * policy allows; a nonce would need a server that makes up a new one for each answer, and static files have none.
 */
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState, type Text } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  hoverTooltip,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import type { Problem } from "../../../cluster/simulation/loaded-manifest.ts";
import { completeField, fetchTexts, hoverField } from "./fields.ts";
import { highlight, theme } from "./theme.ts";

export interface ManifestEditor {
  /** Replaces the text if it differs; undo restores the old one. */
  setText(text: string): void;
  setProblems(problems: readonly Problem[]): void;
  /** Puts the cursor there and the focus into the editor. Counts from 1. */
  showLine(line: number): void;
  /** Selects this part of the text, and puts the focus into the editor. */
  focus(from: number, to: number): void;
  destroy(): void;
}

export interface EditorActions {
  /** Only for what the reader changed. */
  onChange(text: string): void;
  onRun(): void;
}

export function createEditor(place: HTMLElement, text: string, actions: EditorActions): ManifestEditor {
  const root = place.shadowRoot ?? place.attachShadow({ mode: "open" });
  let isOurs = false;
  fetchTexts();
  const view = new EditorView({
    root,
    parent: root as unknown as Element,
    state: EditorState.create({
      doc: text,
      extensions: [
        parts(actions),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged && !isOurs) actions.onChange(state.doc.toString());
        }),
      ],
    }),
  });
  return {
    setText(next) {
      if (next === view.state.doc.toString()) return;
      isOurs = true;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } });
      isOurs = false;
    },
    setProblems(problems) {
      const found = problems.map((problem) => diagnostic(view.state.doc, problem)).filter((one) => one !== undefined);
      view.dispatch(setDiagnostics(view.state, found));
    },
    showLine(line) {
      const { from } = view.state.doc.line(Math.min(Math.max(1, line), view.state.doc.lines));
      view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
      view.focus();
    },
    focus(from, to) {
      view.dispatch({ selection: { anchor: from, head: to }, scrollIntoView: true });
      view.focus();
    },
    destroy: () => view.destroy(),
  };
}

/** Tab is left to the page: it moves the focus on, so the editor never traps keyboard users. */
function parts(actions: EditorActions) {
  const run = (): boolean => {
    actions.onRun();
    return true;
  };
  return [
    lineNumbers(),
    highlightActiveLineGutter(),
    highlightSpecialChars(),
    history(),
    drawSelection(),
    indentOnInput(),
    indentUnit.of("  "),
    bracketMatching(),
    closeBrackets(),
    autocompletion({ override: [completeField] }),
    hoverTooltip(hoverField),
    highlightActiveLine(),
    lintGutter(),
    yaml(),
    syntaxHighlighting(highlight),
    theme,
    EditorView.contentAttributes.of({ "aria-label": "Manifest in YAML", "tabindex": "0" }),
    keymap.of([
      { key: "Mod-Enter", run },
      ...closeBracketsKeymap,
      ...defaultKeymap,
      ...historyKeymap,
      ...completionKeymap,
      ...lintKeymap,
    ]),
  ];
}

/** Underlines from the problem's column to the end of its line. */
function diagnostic(doc: Text, { severity, message, line, column }: Problem): Diagnostic | undefined {
  if (line === undefined || line > doc.lines) return undefined;
  const { from, to, text } = doc.line(line);
  const start = column === undefined ? text.search(/\S|$/) : column - 1;
  return { from: from + Math.min(text.length, start), to, severity, message };
}
