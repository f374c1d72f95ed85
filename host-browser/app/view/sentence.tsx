/** One sentence beside the picture: what has happened, and what comes next. Also shows errors. */
import { capitalised } from "../../../cluster/values/sentence.ts";
import { spanText } from "../../../cluster/values/time-span.ts";
import { usePlayground } from "./context.ts";
import { Fault } from "./fault.tsx";

export function Sentence() {
  const playground = usePlayground();
  const { session } = playground;
  const view = session.view.value;
  const next = view?.nextMs;
  // The sentence says when the controller looks. It differs from the API until then, of course.
  const isQueued = view?.code === "Queued";
  const differences = isQueued ? [] : (view?.differences ?? []);
  return (
    <section class="sentence" aria-label="What happens">
      <Faults />
      <p class="says">
        {view !== undefined ? capitalised(view.sentence) : session.fatal.value === "" && "The simulation starts…"}
      </p>
      <p class="next">
        {view !== undefined && next !== undefined && next > view.atMs && !isQueued && (
          <span>Without any event the controller looks at it again in {spanText(next - view.atMs)}. </span>
        )}
        {view !== undefined && view.code !== "" && (
          <a href={`decisions.html#${view.code.toLowerCase()}`} target="_blank" rel="noopener">
            {view.code}
          </a>
        )}
        {session.note.value !== "" && <span> {session.note}</span>}
      </p>
      {differences.map((difference) => (
        <p class="difference" key={difference}>
          <span class="label">Controller and API differ</span> {difference}
        </p>
      ))}
    </section>
  );
}

/** Errors; an embedded page shows these, too. */
export function Faults() {
  const { session, trouble } = usePlayground();
  return (
    <>
      {session.fatal.value !== "" && (
        <p class="fault" role="alert">
          {session.branch.value === undefined
            ? `Stint cannot start: ${session.fatal.value}`
            : `Stint itself failed: ${session.fatal.value}. The page shows what was recorded until then.`}
        </p>
      )}
      {trouble.value !== "" && <Fault text={trouble.value} />}
    </>
  );
}
