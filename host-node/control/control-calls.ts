/**
 * The calls of the control API, `/control/v1/…`: the name of each, its fields, and what it does. One table for the
 * server, for its refusals and for docs/control-api.md, which a test compares with it.
 *
 * Leaves out HTTP (control.ts) and the allowed values of the fields, which the controls themselves check.
 */
import { JOBS, resourcePath } from "../../cluster/client/client.ts";
import type { PathOf } from "../../cluster/client/client.ts";
import type { KubeObject } from "../../cluster/values/types.ts";
import type { Controls, Duration } from "./controls.ts";
import { trueCondition } from "../../cluster/values/job-conditions.ts";
import type { PodState } from "./pods.ts";
import { qualified } from "./targets.ts";

/** The fields of a request's body, or of its query. Each call checks its own. */
export type Given = Readonly<Record<string, any>>;

/** A failed test rarely needs to know of more. */
const MAX_JOBS_TOLD = 20;

/** What the calls act on. */
export interface CallTarget {
  readonly controls: Controls;
  /** The objects of a list of the API. */
  list<T = KubeObject>(path: PathOf<T>): readonly T[];
}

export interface ControlCall {
  readonly method: "GET" | "POST";
  /** Below `/control/v1/`. */
  readonly path: string;
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** The answer: JSON, or the bytes of a file. */
  run(target: CallTarget, given: Given): Promise<object | Uint8Array>;
}

const timeOf = (controls: Controls): { readonly now: string } => ({ now: new Date(controls.now()).toISOString() });

const limitOf = ({ limit }: Given): { readonly limit?: Duration } => (limit === undefined ? {} : { limit });

const without = (given: Given, ...names: readonly string[]): Given =>
  Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)));

const time: readonly ControlCall[] = [
  { method: "GET", path: "now", required: [], optional: [], run: async ({ controls }) => timeOf(controls) },
  {
    method: "POST",
    path: "advance",
    required: ["duration"],
    optional: [],
    run: async ({ controls }, { duration }) => {
      await controls.advance(duration);
      return timeOf(controls);
    },
  },
  {
    method: "POST",
    path: "until-idle",
    required: [],
    optional: ["limit"],
    run: async ({ controls }, given) => {
      const { waiting } = await controls.untilIdle(limitOf(given));
      return { ...timeOf(controls), waiting };
    },
  },
  {
    method: "POST",
    path: "until",
    required: ["job", "condition"],
    optional: ["limit"],
    run: async ({ controls }, { job, condition, ...given }) => {
      await controls.until({ job, condition }, limitOf(given));
      return timeOf(controls);
    },
  },
];

/** A call that acts on the pods of a selector, and answers with these pods. */
function podCall(
  path: string,
  optional: readonly string[],
  act: (controls: Controls, given: Given) => Promise<readonly PodState[]>,
): ControlCall {
  return {
    method: "POST",
    path,
    required: ["selector"],
    optional,
    run: async ({ controls }, given) => ({ pods: await act(controls, given) }),
  };
}

const pods: readonly ControlCall[] = [
  {
    method: "GET",
    path: "pods",
    required: ["selector"],
    optional: [],
    run: async ({ controls }, { selector }) => ({ pods: controls.pods(selector).list() }),
  },
  podCall("pods/fail", ["index", "container", "exitCode", "reason", "message"], (controls, given) =>
    controls.pods(given["selector"]).fail(without(given, "selector")),
  ),
  podCall("pods/succeed", ["index", "container"], (controls, given) =>
    controls.pods(given["selector"]).succeed(without(given, "selector")),
  ),
  podCall("pods/hang", ["index", "container"], (controls, given) =>
    controls.pods(given["selector"]).hang(without(given, "selector")),
  ),
  podCall("pods/evict", ["index"], (controls, given) =>
    controls.pods(given["selector"]).evict(without(given, "selector")),
  ),
  podCall("pods/delete", ["index"], (controls, given) =>
    controls.pods(given["selector"]).delete(without(given, "selector")),
  ),
  {
    method: "POST",
    path: "outcomes",
    required: ["selector", "outcome"],
    optional: [],
    run: async ({ controls }, { selector, outcome }) => {
      controls.outcomes(selector, outcome);
      return {};
    },
  },
];

function nodeCall(path: string, act: (controls: Controls, node: string) => Promise<object | void>): ControlCall {
  return {
    method: "POST",
    path,
    required: ["node"],
    optional: [],
    run: async ({ controls }, { node }) => (await act(controls, node)) ?? {},
  };
}

const faults: readonly ControlCall[] = [
  nodeCall("nodes/cordon", (controls, node) => controls.cordon(node)),
  nodeCall("nodes/uncordon", (controls, node) => controls.uncordon(node)),
  nodeCall("nodes/drain", (controls, node) => controls.drain(node)),
  nodeCall("nodes/lose", (controls, node) => controls.loseNode(node)),
  {
    method: "POST",
    path: "crash",
    required: ["component"],
    optional: [],
    run: async ({ controls }, { component }) => {
      await controls.crash(component);
      return {};
    },
  },
];

const answers: readonly ControlCall[] = [
  {
    method: "GET",
    path: "why",
    required: ["job"],
    optional: [],
    run: async ({ controls }, { job }) => ({ job, why: controls.why(job) }),
  },
  {
    method: "GET",
    path: "unsuccessful",
    required: [],
    optional: [],
    run: async ({ controls, list }) => {
      const told = list(resourcePath(JOBS)).filter((job) => trueCondition(job, "Complete") === undefined);
      const names = told
        .slice(0, MAX_JOBS_TOLD)
        .map(({ metadata: { namespace, name } }) => qualified({ namespace: namespace!, name }));
      return { jobs: names.map((job) => ({ job, why: controls.why(job) })) };
    },
  },
  { method: "GET", path: "recording", required: [], optional: [], run: async ({ controls }) => controls.recording() },
];

export const CONTROL_CALLS: readonly ControlCall[] = [...time, ...pods, ...faults, ...answers];
