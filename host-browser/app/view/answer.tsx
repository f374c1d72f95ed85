/** Over the picture: what became of the Jobs of a pasted text, why, and what to do; a remedy can be tried. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { asSentence } from "../../../cluster/values/sentence.ts";
import type { DiffLine, Evidence, JobAnswer, ToDo } from "../../door-answer.ts";
import { usePlayground } from "./context.ts";

export function AnswerText() {
  const { explained, session } = usePlayground();
  const { answer, name, remedy, run } = explained.value!;
  // The reader may have changed the run, or gone back to the one before.
  const isShown = run !== undefined && session.branch.value?.scenario === run;
  const place = useRef<HTMLElement>(null);
  // A phone has the picture first.
  useEffect(() => place.current?.scrollIntoView({ block: "nearest" }), [answer]);
  const [first, ...others] = answer.jobs;
  return (
    <section ref={place} class="lesson door-answer" aria-labelledby="lesson-title">
      <div class="lesson-head">
        <h2 id="lesson-title">{first === undefined ? titleOf(answer.given) : `${first.name}: ${first.verdict}`}</h2>
      </div>
      {first === undefined ? (
        <p class="lesson-text">
          From {name}. It has no status, so nothing has happened yet
          {isShown ? ": this is how it runs on simulated nodes." : "."}
        </p>
      ) : (
        <Lines {...first} />
      )}
      {others.map((job) => (
        <details key={`${job.namespace}/${job.name}`}>
          <summary>
            {job.name}: {job.verdict}
          </summary>
          <Lines {...job} />
        </details>
      ))}
      {isShown && remedy === undefined && answer.isReconstructed !== undefined && (
        <p class="soft">
          {answer.isReconstructed
            ? "Reconstructed: this run ends with the same conditions and counters. When each pod ran is not known."
            : "Not reconstructed: no simulated run ended with the same conditions and counters. This is one of the manifest."}
        </p>
      )}
      {isShown && remedy !== undefined && (
        <p role="status">
          With the change: {remedy.sentence}.{" "}
          {remedy.change!.isOfPods && "The pods are taken to succeed with it, as if that had been all."}
        </p>
      )}
      <Notes given={answer.given} notes={answer.notes} />
    </section>
  );
}

function Lines({ what, why, next, toDo }: JobAnswer) {
  return (
    <dl class="answer-lines">
      <dt>What happened</dt>
      <dd>{asSentence(what)}</dd>
      <dt>Why</dt>
      <dd>
        {why.sentence === "" ? "" : asSentence(why.sentence)} <Lined evidence={why.evidence} />
      </dd>
      <dt>What to do</dt>
      <dd>
        {toDo.length === 0 && asSentence(next)}
        {toDo.map((each) => (
          <Doing key={each.command} toDo={each} />
        ))}
      </dd>
    </dl>
  );
}

function Lined({ evidence }: { readonly evidence: readonly Evidence[] }) {
  const playground = usePlayground();
  return (
    <>
      {evidence.map(({ field, value, line, shownLine }) => (
        <span key={`${field} ${line}`} class="evidence">
          <code>
            {field}
            {value === "" ? "" : `: ${value}`}
          </code>{" "}
          {shownLine === undefined ? (
            <span class="soft">line {line} of the text</span>
          ) : (
            <button type="button" class="link" onClick={() => playground.showLine(shownLine)}>
              line {shownLine}
            </button>
          )}
        </span>
      ))}
    </>
  );
}

function Doing({ toDo }: { readonly toDo: ToDo }) {
  const playground = usePlayground();
  const isOpen = useSignal(false);
  const { sentence: what, command, change } = toDo;
  const { remedy, run } = playground.explained.value ?? {};
  const isApplied = remedy === toDo && playground.session.branch.value?.scenario === run;
  return (
    <div class="doing">
      <p>{asSentence(what)}</p>
      <p>
        <code>{command}</code>
      </p>
      {change !== undefined && (
        <p class="choices">
          <button
            type="button"
            class="link"
            aria-expanded={isOpen.value}
            onClick={() => (isOpen.value = !isOpen.value)}
          >
            {isOpen.value ? "Hide the change" : "Show the change"}
          </button>
          <button type="button" class="chip" onClick={() => playground.tryRemedy(isApplied ? undefined : toDo)}>
            {isApplied ? "Run without it again" : "Run with this change"}
          </button>
        </p>
      )}
      {change !== undefined && isOpen.value && <Diff lines={change.diff} />}
    </div>
  );
}

const SIGN_WORDS = { "-": "removed: ", "+": "added: ", " ": "" } as const;

function Diff({ lines }: { readonly lines: readonly DiffLine[] }) {
  return (
    <pre class="diff" tabIndex={0} aria-label="The change of the manifest">
      {lines.map(({ sign, text }, i) => (
        <div key={i} class={sign === "+" ? "added" : sign === "-" ? "removed" : "soft"}>
          <span class="unseen">{SIGN_WORDS[sign]}</span>
          <span aria-hidden="true">{sign} </span>
          {text}
        </div>
      ))}
    </pre>
  );
}

function Notes({ given, notes }: { readonly given: string; readonly notes: readonly string[] }) {
  return (
    <details class="door-notes">
      <summary>
        Read as {given}
        {notes.length === 0 ? "" : `; ${notes.length === 1 ? "1 note" : `${notes.length} notes`}`}
      </summary>
      <ul>
        {notes.map((note) => (
          <li key={note}>{asSentence(note)}</li>
        ))}
      </ul>
    </details>
  );
}

function titleOf(given: string): string {
  return `Yours: ${given}`;
}
