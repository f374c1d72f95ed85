/** Incidents of examples/incidents, played, and printed as kubectl prints their objects. */
import { stringify } from "yaml";
import { readFileSync } from "node:fs";
import { type Account, Engine } from "../../../bindings/js/engine.ts";
import { accountBy } from "../../../cluster/observed/offline-engine.ts";
import { World } from "../../../cluster/simulation/world.ts";
import type { Job } from "../../../cluster/values/kinds.ts";
import { readYaml } from "../../../cluster/yaml/yaml-library.ts";
import { type DoorTools, openDoor } from "../../../host-browser/door/door.ts";
import type { DoorAnswer } from "../../../host-browser/door-answer.ts";
import type { NewWorld } from "../../../host-browser/door/reconstruct.ts";
import { askAccount } from "../../../host-browser/worker/ask-account.ts";
import { allTools } from "../../cluster/simulation/tools.ts";
import { findAccount } from "../../../host-node/cli/why/account.ts";
import { loadEngineModule } from "../../../host-node/engine-module.ts";
import { readIncident } from "../../../host-node/incidents/incident.ts";
import { modulePath } from "../../../scripts/build-engine.ts";
import { play, type Seen } from "../../../host-node/incidents/play.ts";

export const FORMS = {
  yaml: (list: object): string => stringify(list, { aliasDuplicateObjects: false }),
  json: (list: object): string => `${JSON.stringify(list, undefined, 4)}\n`,
} as const;

/** Undefined: at its end there is no Job that could be printed. */
export async function played(name: string): Promise<Seen | undefined> {
  const seen = await play(readIncident(name), false);
  return seen.job === undefined || seen.explanation === undefined ? undefined : seen;
}

/** What `kubectl get job,pods,events` prints at the end of an incident. */
export function printed({ job, presentPods, events }: Seen, form: keyof typeof FORMS): string {
  const items = [job, ...presentPods, ...events.map((event) => ({ apiVersion: "v1", kind: "Event", ...event }))];
  return FORMS[form]({ apiVersion: "v1", kind: "List", items, metadata: { resourceVersion: "" } });
}

export function open(text: string, { engine, nowMs }: Seen): DoorAnswer {
  return openDoor(text, toolsOf(engine, nowMs));
}

export const ENGINE_BYTES = new Uint8Array(readFileSync(modulePath("engine")));
const { module } = await loadEngineModule();
const file = { module, bytes: ENGINE_BYTES };

export function toolsOf(engine: Engine, nowMs: number): DoorTools {
  const newWorld: NewWorld = (scenario, recorder) => new World(module, scenario, recorder, allTools);
  return { readYaml, ask: askAccount(engine), engine: file, newWorld, nowMs: () => nowMs };
}

export function newEngine(): Engine {
  return Engine.createSync(module);
}

/** What `stint why` asks the engine, and gets from it. */
export async function accountOf({ job, get, engine, nowMs }: Seen): Promise<Account> {
  const read = await findAccount(
    { get: async (path) => get(path) },
    job as Job,
    accountBy(engine, () => nowMs),
  );
  return read.account!;
}
