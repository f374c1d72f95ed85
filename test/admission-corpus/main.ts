/**
 * `npm run admission-corpus`: Jobs and Pods that are made from the API's own schema and then changed, as dry runs to a
 * real API server and to Stint, and what both answer, compared whole. Prints the differences by class, with an example
 * each; fails for a class that known.ts does not name.
 */
import { parseArgs } from "node:util";
import { VirtualClock } from "../../cluster/time/clock.ts";
import type { JsonObject } from "../../cluster/values/types.ts";
import { EmbeddedCluster } from "../../host-node/embedded/embedded.ts";
import { toolArguments, wholeNumber } from "../arguments.ts";
import { whyUnavailable } from "../kubernetes/binaries/binaries.ts";
import type { ApiClient } from "../kubernetes/api-client.ts";
import { startControlPlane } from "../kubernetes/control-plane.ts";
import { TESTED_VERSION } from "../kubernetes/tested-version.ts";
import { type Answer, embeddedServer, realServer, Respondent } from "./ask.ts";
import { type Difference, differencesOf } from "./differences.ts";
import { type CorpusCase, generate, type Kinds } from "./generate.ts";
import { knownReason } from "./known.ts";
import { kindIn, type OpenApiDocument } from "./schema.ts";
import { Tally } from "./tally.ts";

const DEFAULT_COUNT = 1500;
const MAX_COUNT = 1_000_000;
const MAX_SEED = 999_999_999;
/** Requests that the real server has at once. */
const LANES = 8;
const PROGRESS_CASES = 500;
/** How often upstream is asked whether the order of its causes is chance: it goes through maps in any order. */
const ORDER_ASKS = 8;
const HELP = `Makes Jobs and Pods from the schema that a real Kubernetes API server serves: valid ones, each with one to three changes, and
updates of Jobs that are there. Sends each as a dry run to that server and to Stint, and compares verdict, causes, messages,
warnings and the object as it would be stored. Prints the differences by class, the heaviest first.

usage: npm run admission-corpus -- [--seed N] [--count N] [--class TEXT]
       npm run admission-corpus -- [--seed N] --only CASE

  --seed N      what the cases are drawn from; 1 unless given
  --count N     how many cases; ${DEFAULT_COUNT} unless given
  --class TEXT  only classes that contain this text are printed, with the numbers of all their cases
  --only CASE   this case alone: what is sent, and both answers
  --help        prints this

Exit status: 0 when every class is one that test/admission-corpus/known.ts names with a reason, 1 when one is not, 2 for
arguments that make no sense. The programs are built first where they are not cached, which takes some minutes and needs Go.
`;

interface Plan {
  readonly seed: number;
  readonly count: number;
  /** The number of the one case that is asked. */
  readonly only: number | undefined;
  readonly shown: string | undefined;
}

/** @throws Error naming the argument and what is allowed */
function readArguments(args: readonly string[]): Plan | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: "string", default: "1" },
      count: { type: "string", default: String(DEFAULT_COUNT) },
      only: { type: "string" },
      class: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  return {
    seed: wholeNumber("seed", values.seed, 0, MAX_SEED),
    count: wholeNumber("count", values.count, 1, MAX_COUNT),
    only: values.only === undefined ? undefined : wholeNumber("only", values.only, 0, MAX_COUNT),
    shown: values.class,
  };
}

/** Both servers, and what they say of a case. */
class Corpus {
  readonly #upstream: Respondent;
  readonly #stint: Respondent;

  constructor(upstream: Respondent, stint: Respondent) {
    this.#upstream = upstream;
    this.#stint = stint;
  }

  objectOf(one: CorpusCase): JsonObject {
    return one.change(one.verb === "update" ? this.#upstream.stored(one.name) : undefined);
  }

  async ask(one: CorpusCase): Promise<{ readonly upstream: Answer; readonly stint: Answer }> {
    const object = this.objectOf(one);
    return { upstream: await this.#upstream.ask(one, object), stint: await this.#stint.ask(one, object) };
  }

  /** What differs, but for an order that upstream leaves to chance. */
  async differences(one: CorpusCase): Promise<readonly Difference[]> {
    const { upstream, stint } = await this.ask(one);
    const found = differencesOf(upstream, stint);
    if (!found.some(({ weight }) => weight === "order")) return found;
    for (let asked = 0; asked < ORDER_ASKS; asked++) {
      if (differencesOf(await this.#upstream.ask(one, this.objectOf(one)), upstream).length > 0)
        return found.filter(({ weight }) => weight !== "order");
    }
    return found;
  }
}

async function schemaOf(client: ApiClient): Promise<Kinds> {
  const batch = await client.succeed<OpenApiDocument>("GET", "/openapi/v3/apis/batch/v1");
  const core = await client.succeed<OpenApiDocument>("GET", "/openapi/v3/api/v1");
  return { Job: kindIn(batch, "io.k8s.api.batch.v1.Job"), Pod: kindIn(core, "io.k8s.api.core.v1.Pod") };
}

async function main(plan: Plan): Promise<boolean> {
  // Whether a RuntimeClass or a PriorityClass exists, no admission can know that sees the Pod alone.
  const withoutAdmissionPlugins = ["RuntimeClass", "Priority"];
  const controlPlane = await startControlPlane({ allowPrivileged: true, withoutAdmissionPlugins });
  try {
    const client = controlPlane.client();
    const kinds = await schemaOf(client);
    const onFatal = (error: Error): never => {
      throw error;
    };
    const embedded = await EmbeddedCluster.create({
      clock: new VirtualClock(Date.now()),
      nodes: [],
      kubernetes: TESTED_VERSION,
      onFatal,
    });
    const corpus = new Corpus(
      await Respondent.prepare(realServer(client)),
      await Respondent.prepare(embeddedServer(embedded)),
    );
    return plan.only === undefined ? await compareAll(corpus, kinds, plan) : await showOne(corpus, kinds, plan);
  } finally {
    await controlPlane.stop();
  }
}

async function compareAll(corpus: Corpus, kinds: Kinds, { seed, count, shown }: Plan): Promise<boolean> {
  const tally = new Tally();
  const beganMs = performance.now();
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) {
      const one = generate(seed, next++, kinds);
      tally.add(one, await corpus.differences(one));
      if (tally.cases % PROGRESS_CASES === 0) console.log(`${tally.cases} of ${count} cases`);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  console.log(tally.report(knownReason, shown));
  const unknown = tally.classes.filter(({ difference }) => knownReason(difference) === undefined);
  const seconds = ((performance.now() - beganMs) / 1000).toFixed(0);
  console.log(
    `${tally.cases} cases from seed ${seed}, ${tally.differing} differ, in ${tally.classes.length} classes, ${unknown.length} of them not known; ${seconds} s`,
  );
  return unknown.length === 0;
}

async function showOne(corpus: Corpus, kinds: Kinds, { seed, only }: Plan): Promise<boolean> {
  const one = generate(seed, only!, kinds);
  const { upstream, stint } = await corpus.ask(one);
  const text = (value: unknown): string => JSON.stringify(value, null, 1);
  console.log(`case ${only}: ${one.verb} ${one.kind}, fieldValidation=${one.fieldValidation}`);
  console.log(`sent: ${text(corpus.objectOf(one))}\nupstream: ${text(upstream)}\nStint: ${text(stint)}`);
  const differences = await corpus.differences(one);
  for (const { weight, what } of differences) console.log(`${weight}: ${what}`);
  return differences.every((difference) => knownReason(difference) !== undefined);
}

const plan = toolArguments(readArguments, HELP);
if (plan !== undefined) {
  const reason = whyUnavailable();
  if (reason === undefined) {
    if (!(await main(plan))) process.exitCode = 1;
  } else {
    console.error(`skipped: ${reason}`);
    if (process.env["STINT_REQUIRE_CLUSTER"] === "1") process.exitCode = 1;
  }
}
