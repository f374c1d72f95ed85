/**
 * The box that takes what a user pastes, drops or chooses. The Worker says what it is; a text that it cannot explain
 * stays in the box, with the reason.
 */
import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { DoorAnswer } from "../../door-answer.ts";
import { readScenarioFile } from "../../share/scenario-file.ts";
import { MAX_FILE_BYTES } from "../file-limit.ts";
import { usePlayground } from "./context.ts";
import { Fault } from "./fault.tsx";
import { AnswerText } from "./lesson-text.tsx";

/** A longer text is explained at once: the field would take long to show it. */
const MAX_SHOWN_LENGTH = 200_000;
const PASTED = "the pasted text";

/** What becomes of a text or a file that is given. */
function useExplanation() {
  const playground = usePlayground();
  const problem = useSignal("");
  const isBusy = useSignal(false);
  const explain = async (given: string, name: string): Promise<void> => {
    problem.value = "";
    isBusy.value = true;
    const answer = await playground.session.explain(given, Date.now());
    isBusy.value = false;
    const called = name === PASTED ? "This" : name;
    try {
      if (answer.problem === undefined) show(answer, name, given);
      else problem.value = `${called} cannot be explained: ${answer.problem}.`;
    } catch (error) {
      // A scenario that is damaged.
      problem.value = `${called} cannot be read: ${(error as Error).message}.`;
    }
  };
  const show = (answer: DoorAnswer, name: string, given: string): void => {
    if (answer.kind === "recording") playground.import(given, name);
    else if (answer.kind === "scenario") playground.openScenario(readScenarioFile(given)!, name);
    else void AnswerText.fetch().then(() => playground.openAnswer({ answer, name }));
  };
  const read = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    if (file.size > MAX_FILE_BYTES) {
      problem.value = `${file.name} has ${file.size} bytes; allowed are ${MAX_FILE_BYTES}: give a part of it.`;
      return;
    }
    try {
      await explain(await file.text(), file.name);
    } catch (error) {
      problem.value = `${file.name} cannot be read: ${(error as Error).message}.`;
    }
  };
  return { problem, isBusy, explain, read };
}

export function Door() {
  const { offered } = usePlayground();
  const text = useSignal("");
  const { problem, isBusy, explain, read } = useExplanation();
  useEffect(() => {
    const given = offered.value;
    if (given === undefined) return;
    offered.value = undefined;
    if (given instanceof File) void read(given);
    else void explain(given, PASTED);
  }, [offered.value]);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void explain(text.value, PASTED);
      }}
    >
      <Taken />
      <TextField text={text} onLong={(long) => void explain(long, PASTED)} />
      <label class="field">
        Or a file, which can be dropped anywhere on the page
        <span>
          <input type="file" onChange={(event) => void read(event.currentTarget.files?.[0])} />
        </span>
      </label>
      <p class="choices">
        <button type="submit" class="primary" aria-disabled={isBusy.value}>
          Explain
        </button>
        <span role="status">{isBusy.value ? "It is read…" : ""}</span>
      </p>
      {problem.value !== "" && <Fault text={problem.value} />}
    </form>
  );
}

function Taken() {
  return (
    <p>
      Paste what <code>kubectl get job,pods,events -o yaml</code> prints, and read what happened, why, and what to do.
      Also taken: JSON, the text of <code>kubectl describe job</code>, a manifest, a CronJob, the output of{" "}
      <code>helm template</code>, a log of <code>kubectl get --watch -o json</code>, a segment of the flight recorder, a
      recording. It stays in this browser: nothing is sent.
    </p>
  );
}

interface TextFieldProps {
  readonly text: Signal<string>;
  onLong(text: string): void;
}

function TextField({ text, onLong }: TextFieldProps) {
  const paste = (event: ClipboardEvent): void => {
    const pasted = event.clipboardData?.getData("text/plain") ?? "";
    if (pasted.length <= MAX_SHOWN_LENGTH) return;
    event.preventDefault();
    onLong(pasted);
  };
  return (
    <label class="field door-text">
      Text
      <textarea
        rows={10}
        spellcheck={false}
        autocapitalize="off"
        autocomplete="off"
        wrap="off"
        value={text.value}
        onPaste={paste}
        onInput={({ currentTarget }) => (text.value = currentTarget.value)}
      />
    </label>
  );
}
