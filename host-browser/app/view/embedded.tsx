/** The page in a frame of another site: a title, the picture, its transport, the sentence, and the way to the page. */
import type { ComponentChildren } from "preact";
import { usePlayground } from "./context.ts";
import { Faults } from "./sentence.tsx";
import { Stage } from "./stage.tsx";
import { Transport } from "./transport.tsx";

export function Embedded({ children }: { readonly children: ComponentChildren }) {
  const { taught, session } = usePlayground();
  const name = session.branch.value?.timeline.jobs[0]?.name;
  return (
    <main class="embedded">
      <div class="embed-head">
        <h1>{taught.value?.title ?? (name === undefined ? "A Kubernetes Job" : `Job ${name}`)}</h1>
        <a
          href={wholePage()}
          target="_blank"
          rel="noopener"
          // The address follows what is shown.
          onClick={({ currentTarget }) => (currentTarget.href = wholePage())}
        >
          Open in Stint
        </a>
      </div>
      <Stage />
      <Transport />
      <Faults />
      <p class="says">{session.view.value?.sentence}</p>
      {children}
    </main>
  );
}

/** The same run, not embedded. */
function wholePage(): string {
  const query = new URLSearchParams(location.search);
  query.delete("embed");
  const rest = query.toString();
  return `${location.pathname}${rest === "" ? "" : `?${rest}`}${location.hash}`;
}
