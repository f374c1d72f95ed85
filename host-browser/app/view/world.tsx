/** The world of the Job: nodes, chance, how containers end, and what the user did to the cluster, when. */
import type { NodeGroup, Scenario } from "../../../cluster/simulation/scenario.ts";
import { SERVED_KUBERNETES, SERVED_VERSIONS, type ServedVersion } from "../../../cluster/values/kubernetes-versions.ts";
import { actionText } from "../action-text.ts";
import { withoutInput } from "../fork.ts";
import { instantText } from "../time-text.ts";
import { usePlayground } from "./context.ts";
import { focusBefore } from "./focus.ts";
import { Nodes } from "./nodes.tsx";
import { Outcomes } from "./outcomes.tsx";

const MAX_SEED = 2 ** 32 - 1;

export function World() {
  const playground = usePlayground();
  const scenario = playground.session.branch.value?.scenario;
  if (scenario === undefined) return <p class="soft">The simulation starts…</p>;
  const change = (part: Partial<Scenario>, words: string): void => playground.change({ ...scenario, ...part }, words);
  return (
    <div class="world">
      <Nodes nodes={scenario.nodes} onChange={(nodes: readonly NodeGroup[]) => change({ nodes }, "other nodes")} />
      <Outcomes
        outcomes={scenario.outcomes}
        onChange={(outcomes) => change({ outcomes }, "other outcomes of containers")}
      />
      <Version scenario={scenario} onChange={(kubernetes) => change({ kubernetes }, `Kubernetes ${kubernetes}`)} />
      <section>
        <h3>Chance</h3>
        <label class="line">
          Seed
          <input
            type="number"
            min={0}
            max={MAX_SEED}
            step={1}
            value={scenario.seed}
            onChange={(event) => {
              const seed = event.currentTarget.valueAsNumber;
              if (Number.isInteger(seed) && seed >= 0 && seed <= MAX_SEED) change({ seed }, `seed ${seed}`);
              else event.currentTarget.value = String(scenario.seed);
            }}
          />
        </label>
        <p class="soft small">The same scenario and seed give the same run, to the millisecond.</p>
      </section>
      <Inputs scenario={scenario} onChange={(inputs, words) => change({ inputs }, words)} />
    </div>
  );
}

interface VersionProps {
  readonly scenario: Scenario;
  readonly onChange: (version: ServedVersion) => void;
}

function Version({ scenario, onChange }: VersionProps) {
  return (
    <section>
      <h3>Kubernetes</h3>
      <label class="line">
        Version
        <select
          value={scenario.kubernetes ?? SERVED_KUBERNETES}
          onChange={({ currentTarget }) => onChange(SERVED_VERSIONS[currentTarget.selectedIndex]!)}
        >
          {SERVED_VERSIONS.map((version) => (
            <option key={version} value={version}>
              {version}
            </option>
          ))}
        </select>
      </label>
      <p class="soft small">
        The API server, what it checks, and the kubelets are of this version; the Job controller is that of{" "}
        {SERVED_KUBERNETES}.
      </p>
    </section>
  );
}

interface InputsProps {
  readonly scenario: Scenario;
  readonly onChange: (inputs: Scenario["inputs"], words: string) => void;
}

function Inputs({ scenario, onChange }: InputsProps) {
  const { playhead } = usePlayground();
  return (
    <section>
      <h3 tabIndex={-1}>What was done to it</h3>
      {scenario.inputs.length === 0 && <p class="soft small">Nothing yet. “Break it” adds to this list.</p>}
      <ul class="inputs">
        {scenario.inputs.map(({ atMs, action }, i) => (
          <li key={i}>
            <button type="button" class="link time" onClick={() => playhead.seek(atMs)}>
              {instantText(atMs)}
            </button>
            <span>{actionText(action)}</span>
            <button
              type="button"
              class="chip"
              aria-label={`Undo: ${actionText(action)}`}
              onClick={({ currentTarget }) => {
                if (i === scenario.inputs.length - 1) focusBefore(currentTarget, "li", "h3");
                onChange(withoutInput(scenario, i).inputs, `without “${actionText(action)}”`);
              }}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
