/** A run of the playground's world with its history, up to where a test wants it. */
import { type View, viewAt } from "../../../host-browser/history/view.ts";
import { readFileSync } from "node:fs";
import { Engine } from "../../../bindings/js/engine.ts";
import { readYaml } from "../../../cluster/yaml/yaml-library.ts";
import { allTools } from "../../cluster/simulation/tools.ts";
import { History, type HistoryOptions } from "../../../host-browser/history/history.ts";
import { askAccount } from "../../../host-browser/worker/ask-account.ts";
import type { Query } from "../../../host-browser/messages.ts";
import { DEFAULT_NODES, type Scenario } from "../../../cluster/simulation/scenario.ts";
import { START_MS, World } from "../../../cluster/simulation/world.ts";

const bytes = readFileSync(new URL("../../../build/engine.wasm", import.meta.url));
const engineModule = await WebAssembly.compile(bytes);

export const ask = askAccount(Engine.createSync(engineModule));

/** More callbacks than any of these runs needs. */
const MAX_CALLBACKS = 5_000_000;

export interface RunOptions extends Partial<Omit<Scenario, "yaml">>, Pick<HistoryOptions, "maxPodVersions"> {}

/** The text of a file of examples/. */
export function example(name: string): string {
  return readFileSync(new URL(`../../../examples/${name}.yaml`, import.meta.url), "utf8");
}

/** A Job with these lines of its spec, whose containers end as the outcome says. */
export function jobYaml(spec: string, outcome = '{ "runMs": 1000 }'): string {
  return `apiVersion: batch/v1
kind: Job
metadata:
  name: pi
spec:
${spec.replace(/^(?=.)/gm, "  ")}
  template:
    metadata:
      annotations:
        stint.dev/simulate: '${outcome}'
    spec:
      restartPolicy: Never
      containers:
        - name: main
          image: busybox
`;
}

export class Run {
  readonly history: History;
  readonly world: World;

  /** @param listen gets the history before anything happens */
  constructor(
    yaml: string,
    { maxPodVersions, ...scenario }: RunOptions = {},
    listen: (history: History) => void = () => {},
  ) {
    this.history = new History({
      startMs: START_MS,
      yaml,
      readYaml,
      viewAt,
      ...(maxPodVersions === undefined ? {} : { maxPodVersions }),
    });
    listen(this.history);
    const all: Scenario = { yaml, seed: 1, nodes: DEFAULT_NODES, outcomes: [], inputs: [], ...scenario };
    this.world = new World(engineModule, all, this.history, allTools);
    const errors = this.world.problems(allTools.lazyParts()).filter(({ severity }) => severity === "error");
    if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join("\n"));
  }

  /** Lets everything happen up to and including the instant. */
  to(ms: number): this {
    while (this.world.nextAt() <= ms) this.world.runNext();
    if (this.world.now() < ms) this.world.advanceTo(ms);
    return this;
  }

  toEnd(): this {
    for (let i = 0; !this.world.isFinished(); i++) {
      if (i === MAX_CALLBACKS) throw new Error(`the run has not ended after ${MAX_CALLBACKS} callbacks`);
      this.world.runNext();
    }
    return this;
  }

  look(query: Query): View {
    return viewAt(this.history, query, ask);
  }
}
