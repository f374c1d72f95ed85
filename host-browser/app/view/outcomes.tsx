/**
 * How containers end, without a line of code: rows of a form, of which the first that matches wins. A change makes a
 * new run when it is applied. Leaves out what rows mean (share/outcome-form.ts).
 */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { OutcomeRule } from "../../../cluster/simulation/scenario.ts";
import {
  type Ending,
  ENDING_LABELS,
  ENDINGS,
  type FormRow,
  hasTime,
  mistakesIn,
  NEW_ROW,
  type OutcomeRow,
  rowsOf,
  rulesOf,
} from "../../share/outcome-form.ts";
import { focusNear } from "./focus.ts";

interface OutcomesProps {
  readonly outcomes: readonly OutcomeRule[];
  readonly onChange: (outcomes: readonly OutcomeRule[]) => void;
}

export function Outcomes({ outcomes, onChange }: OutcomesProps) {
  const rows = useSignal<readonly FormRow[]>(rowsOf(outcomes));
  useEffect(() => {
    rows.value = rowsOf(outcomes);
  }, [outcomes]);
  const isRight = rows.value.every((row) => "other" in row || Object.keys(mistakesIn(row)).length === 0);
  const isChanged = JSON.stringify(rows.value) !== JSON.stringify(rowsOf(outcomes));
  const set = (at: number, row: FormRow): void => {
    rows.value = rows.value.map((other, i) => (i === at ? row : other));
  };
  return (
    <section>
      <h3>How containers end</h3>
      <p class="soft small">
        The first line that fits decides. Where none does, and the pod has no annotation, a container ends with 0.
      </p>
      <ol class="outcomes">
        {rows.value.map((row, i) => (
          <li key={i}>
            {"other" in row ? (
              <code>{JSON.stringify(row.other)}</code>
            ) : (
              <Row row={row} onSet={(next) => set(i, next)} />
            )}
            <button
              type="button"
              class="chip"
              aria-label={`Remove line ${i + 1}`}
              onClick={({ currentTarget }) => {
                if (i === rows.value.length - 1) focusNear(currentTarget, "section", ".run-bar button");
                rows.value = rows.value.filter((_, other) => other !== i);
              }}
            >
              ×
            </button>
          </li>
        ))}
      </ol>
      <p class="run-bar">
        <button type="button" onClick={() => (rows.value = [...rows.value, NEW_ROW])}>
          Add a line
        </button>
        {isChanged && isRight && (
          <button
            type="button"
            class="primary"
            onClick={({ currentTarget }) => {
              focusNear(currentTarget, ".run-bar", "button");
              onChange(rulesOf(rows.value));
            }}
          >
            Run with these
          </button>
        )}
      </p>
    </section>
  );
}

function Row({ row, onSet }: { readonly row: OutcomeRow; readonly onSet: (row: OutcomeRow) => void }) {
  const mistakes = mistakesIn(row);
  const { index, attempt, ...always } = row;
  const without = (name: "index" | "attempt", value: number | undefined): OutcomeRow => ({
    ...always,
    ...(name === "index" ? optional("attempt", attempt) : optional("index", index)),
    ...optional(name, value),
  });
  return (
    <div class="outcome">
      <Field title="Index" value={index} hint="all" onSet={(value) => onSet(without("index", value))} />
      <Field title="Attempt" value={attempt} hint="all" onSet={(value) => onSet(without("attempt", value))} />
      <Field title="Share in %" value={row.percent} onSet={(value) => onSet({ ...row, percent: value ?? NaN })} />
      <label>
        <span>Ends</span>
        <select value={row.ending} onChange={(event) => onSet({ ...row, ending: event.currentTarget.value as Ending })}>
          {ENDINGS.map((ending) => (
            <option key={ending} value={ending}>
              {ENDING_LABELS[ending]}
            </option>
          ))}
        </select>
      </label>
      {row.ending === "exit-code" && (
        <Field title="Exit code" value={row.exitCode} onSet={(value) => onSet({ ...row, exitCode: value ?? NaN })} />
      )}
      {hasTime(row.ending) && (
        <>
          <Field
            title="After s"
            value={row.fromSeconds}
            onSet={(value) => onSet({ ...row, fromSeconds: value ?? NaN })}
          />
          <Field title="to s" value={row.toSeconds} onSet={(value) => onSet({ ...row, toSeconds: value ?? NaN })} />
        </>
      )}
      {Object.entries(mistakes).map(([field, mistake]) => (
        <p key={field} class="fault small" role="alert">
          {FIELD_NAMES[field] ?? field}: {mistake}
        </p>
      ))}
    </div>
  );
}

const FIELD_NAMES: Readonly<Record<string, string>> = {
  index: "Index",
  attempt: "Attempt",
  percent: "Share",
  exitCode: "Exit code",
  fromSeconds: "After",
  toSeconds: "To",
};

interface FieldProps {
  readonly title: string;
  readonly value: number | undefined;
  /** What an empty field means. */
  readonly hint?: string;
  readonly onSet: (value: number | undefined) => void;
}

function Field({ title, value, hint, onSet }: FieldProps) {
  const shown = value === undefined || Number.isNaN(value) ? "" : String(value);
  return (
    <label>
      <span>{title}</span>
      <input
        type="text"
        inputMode="decimal"
        placeholder={hint}
        value={shown}
        onChange={({ currentTarget: { value: text } }) => onSet(text.trim() === "" ? undefined : Number(text))}
      />
    </label>
  );
}

function optional<K extends "index" | "attempt">(name: K, value: number | undefined): { [key in K]?: number } {
  return value === undefined ? {} : ({ [name]: value } as { [key in K]: number });
}
