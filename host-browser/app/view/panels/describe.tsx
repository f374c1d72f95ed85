/** The Job, or the selected pod, as `kubectl describe` prints it. */
import { usePlayground } from "../context.ts";
import { focusNear } from "../focus.ts";
import type { Panel, PanelProps } from "../panel.ts";

export const panel: Panel = {
  place: 70,
  title: "kubectl describe",
  Body: Describe,
};

function Describe({ view }: PanelProps) {
  const { selection, session } = usePlayground();
  const pod = selection.pod.value;
  const name = pod === undefined ? undefined : session.branch.value?.timeline.podNames[pod];
  if (pod === undefined)
    return (
      <>
        <p class="prompt">$ kubectl describe job</p>
        <pre>{view.description}</pre>
      </>
    );
  return (
    <>
      <p class="prompt">
        $ kubectl describe pod {name}{" "}
        <button
          type="button"
          class="chip"
          onClick={({ currentTarget }) => {
            focusNear(currentTarget, ".panels", "[role=tabpanel]");
            selection.pickPod(undefined);
          }}
        >
          the Job instead
        </button>
      </p>
      {view.pod === undefined ? (
        <p class="soft">There is no such pod at this instant.</p>
      ) : (
        <>
          <pre>{view.pod.description}</pre>
          <details>
            <summary>kubectl get pod {name} -o yaml</summary>
            <pre class="yaml">{view.pod.yaml}</pre>
          </details>
        </>
      )}
    </>
  );
}
