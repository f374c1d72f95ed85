/**
 * The manifest: a plain text field at first, and CodeMirror after the first picture is drawn. Invariant: the text lives
 * in the playground's draft, so nothing is lost when one replaces the other, or when CodeMirror cannot be loaded.
 */
import { type ReadonlySignal, useComputed, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ManifestEditor } from "../editor/index.ts";
import type { Problem } from "../../../cluster/simulation/loaded-manifest.ts";
import { whenIdle } from "../tasks.ts";
import { instantText } from "../time-text.ts";
import { usePlayground } from "./context.ts";
import { focusNear } from "./focus.ts";
import { useNow } from "./use-now.ts";

export function ManifestPane() {
  const playground = usePlayground();
  const { draft, isEdited, playhead, lesson } = playground;
  const instant = useComputed(() => instantText(playhead.atMs.value));
  const isChangedLesson = lesson.value !== undefined && draft.value !== lesson.value.scenario.yaml;
  return (
    <>
      <Editor />
      <div class="run-bar">
        <button
          type="button"
          class="primary"
          title="A new run of this manifest (Ctrl+Enter)"
          onClick={() => playground.runDraft()}
        >
          Run from the start
        </button>
        <button
          type="button"
          aria-disabled={!isEdited.value}
          title="As kubectl apply does: sets what the text says, and removes what it no longer says"
          onClick={() => isEdited.value && playground.applyDraft()}
        >
          Apply at {instant}
        </button>
        {isChangedLesson && (
          <button
            type="button"
            class="link"
            onClick={({ currentTarget }) => {
              focusNear(currentTarget, ".run-bar", "button");
              playground.resetLesson();
            }}
          >
            The lesson's own text
          </button>
        )}
      </div>
      <Problems problems={playground.problems.value} />
    </>
  );
}

function Editor() {
  const playground = usePlayground();
  const place = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const editor = useCodeMirror(place, field);
  useEditorState(editor, field);
  return (
    <>
      <div ref={place} class="editor" hidden={editor.value === undefined} />
      {editor.value === undefined && (
        <textarea
          ref={field}
          class="editor-field"
          aria-label="Manifest in YAML"
          spellcheck={false}
          autocapitalize="off"
          autocomplete="off"
          wrap="off"
          value={playground.draft.value}
          onInput={(event) => playground.edit(event.currentTarget.value)}
        />
      )}
    </>
  );
}

/**
 * Loads CodeMirror once a run is shown.
 * @param place - where the editor goes; hidden until then
 * @param field - the plain field, whose focus and selection it takes over
 * @returns undefined: the plain field is all there is, for now or because CodeMirror could not be loaded
 */
function useCodeMirror(
  place: RefObject<HTMLDivElement | null>,
  field: RefObject<HTMLTextAreaElement | null>,
): ReadonlySignal<ManifestEditor | undefined> {
  const playground = usePlayground();
  const { draft, session } = playground;
  const editor = useSignal<ManifestEditor | undefined>(undefined);
  /** A run is loaded: the editor waits, because the page has enough to do while a run is made. */
  const isReady = useSignal(false);

  useNow(() => {
    if (session.branch.value !== undefined && session.mode.value !== "loading") isReady.value = true;
  });
  useEffect(() => {
    if (!isReady.value) return undefined;
    let made: ManifestEditor | undefined;
    let isGone = false;
    const make = async (): Promise<void> => {
      const { createEditor } = await import("../editor/index.ts");
      if (isGone) return;
      made = createEditor(place.current!, draft.peek(), {
        onChange: (text) => playground.edit(text),
        onRun: () => playground.runDraft(),
      });
      // What is hidden cannot have the focus.
      place.current!.hidden = false;
      const { current: typed } = field;
      if (typed !== null && typed === document.activeElement) made.focus(typed.selectionStart, typed.selectionEnd);
      editor.value = made;
    };
    // Without CodeMirror the plain field stays.
    const cancel = whenIdle(() => void make().catch(() => undefined));
    return () => {
      isGone = true;
      cancel();
      made?.destroy();
      editor.value = undefined;
    };
  }, [isReady.value]);
  return editor;
}

/** Keeps the editor in sync with the draft, its problems, and the line that the page wants to show. */
function useEditorState(
  editor: ReadonlySignal<ManifestEditor | undefined>,
  field: RefObject<HTMLTextAreaElement | null>,
): void {
  const { draft, problems, shownLine } = usePlayground();
  useNow(() => editor.value?.setText(draft.value));
  useNow(() => editor.value?.setProblems(problems.value));
  useNow(() => {
    const shown = shownLine.value;
    if (shown === undefined) return;
    // CodeMirror may be loading; it takes the focus from the field, so the field shows the line, too.
    if (editor.value === undefined) {
      showLineOf(field.current, shown.line);
      return;
    }
    editor.value.showLine(shown.line);
    shownLine.value = undefined;
  });
  useEffect(() => () => void (shownLine.value = undefined), []);
}

/** Puts the cursor there. */
function showLineOf(field: HTMLTextAreaElement | null, line: number): void {
  if (field === null) return;
  const lines = field.value.split("\n");
  const start = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
  field.focus();
  field.setSelectionRange(start, start + (lines[line - 1] ?? "").length);
}

function Problems({ problems }: { readonly problems: readonly Problem[] }) {
  const playground = usePlayground();
  return (
    <ul class="problems" aria-label="Problems of the manifest" aria-live="polite">
      {problems.map(({ severity, message, line, column }, i) => (
        <li key={i} class={severity}>
          <span class="label">{severity === "error" ? "Mistake" : "Warning"}</span>
          {line !== undefined && (
            <button type="button" class="link" onClick={() => playground.showLine(line)}>
              line {line}
              {column === undefined ? "" : `, column ${column}`}
            </button>
          )}
          <p>{message}</p>
        </li>
      ))}
    </ul>
  );
}
