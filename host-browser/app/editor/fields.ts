/**
 * Completion and hover for the fields of Jobs. The texts (job-fields.ts) come after the editor, which does not wait for
 * them.
 */
import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import type { EditorView, Tooltip } from "@codemirror/view";
import { fieldAt } from "./yaml-path.ts";

const loadTexts = (): Promise<typeof import("./job-fields.ts")> => import("./job-fields.ts");

/** They are there without a network, too, then. */
export function fetchTexts(): void {
  void loadTexts().catch(() => undefined);
}

export async function completeField(context: CompletionContext): Promise<CompletionResult | null> {
  const { state, pos, explicit } = context;
  const line = state.doc.lineAt(pos);
  const place = fieldAt(state.doc.toString().split("\n"), line.number - 1);
  if (place === undefined) return null;
  const { fieldsIn, helpOf } = await loadTexts();
  const column = pos - line.from;
  if (place.valueFrom !== undefined && column >= place.valueFrom) {
    const { values } = helpOf(place.path) ?? {};
    if (values === undefined) return null;
    return { from: line.from + place.valueFrom, options: values.map((label) => ({ label, type: "enum" })) };
  }
  if (column < place.from || (!explicit && column === place.from)) return null;
  const options = fieldsIn(place.path.slice(0, -1)).map(([label, field]): Completion => ({
    label,
    type: "property",
    detail: field.type,
    info: field.text,
    apply: place.valueFrom !== undefined ? label : `${label}:${field.isParent ? "" : " "}`,
  }));
  return options.length === 0 ? null : { from: line.from + place.from, options, validFor: /^[A-Za-z]*$/ };
}

export async function hoverField(view: EditorView, pos: number): Promise<Tooltip | null> {
  const { doc } = view.state;
  const line = doc.lineAt(pos);
  const place = fieldAt(doc.toString().split("\n"), line.number - 1);
  const column = pos - line.from;
  if (place === undefined || column < place.from || column > place.to) return null;
  const { helpOf } = await loadTexts();
  const help = helpOf(place.path);
  if (help === undefined) return null;
  return {
    pos: line.from + place.from,
    end: line.from + place.to,
    above: true,
    create: () => {
      const dom = document.createElement("div");
      dom.className = "cm-field-help";
      const title = document.createElement("b");
      title.textContent = `${place.path.join(".")} · ${help.type}`;
      const text = document.createElement("p");
      text.textContent = help.text;
      dom.append(title, text);
      return { dom };
    },
  };
}
