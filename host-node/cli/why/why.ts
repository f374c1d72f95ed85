/**
 * `stint why`: says why a Job is in its state, and what comes next, on any cluster. It asks a controller of this
 * project, or else reads the Job's own objects.
 *
 * Invariant: it changes nothing, and never shows a credential.
 */
import type { Explanation } from "../../../bindings/js/engine.ts";
import { answeredObject, JOBS, resourcePath, withQuery } from "../../../cluster/client/client.ts";
import { RealClock } from "../../clock.ts";
import { loadEngineModule } from "../../engine-module.ts";
import { UsageError } from "../../usage-error.ts";
import {
  asUsageError,
  type ClusterChoice,
  jobNameOf,
  kubeconfigFor,
  loadCredentials,
  named,
} from "../cluster-access.ts";
import type { Console } from "../console.ts";
import { EXIT_BAD_INPUT } from "../exit-status.ts";
import { explanationLines } from "../../words/explanation.ts";
import { printable } from "../../words/printable.ts";
import { shellWord } from "../../words/shell-word.ts";
import { styleFor } from "../../words/style.ts";
import { warningLines } from "../output/warning-events.ts";
import { writeText } from "../output/wrapped.ts";
import { type JobName, similarJobs } from "../../words/similar-names.ts";
import { type Answer, findAnswer } from "./answer.ts";
import { ApiReader } from "./api-reader.ts";
import type { JobTarget } from "./controllers.ts";
import { tellDivergences } from "./divergences.ts";

const EXIT_FOUND = 0;
/** The most Jobs that are searched for similar names. */
const MAX_NAMES = 5000;
/** The code of an explanation whose objects are not all known. */
const NOT_LISTED = "NotListed";
const NAMES_ALONE = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

export interface WhyOptions extends ClusterChoice {
  /** As kubectl shows it or without its kind: `pi`, `job/pi`, `job.batch/pi`. */
  readonly job: string;
  readonly namespace: string | undefined;
  /** Address of a controller to ask first. */
  readonly controller: string | undefined;
  /** The namespace of a `stint controller`'s Lease. */
  readonly controllerNamespace: string;
  readonly output: "text" | "json";
  /** Prints the findings of a shadow at that address about the Job, instead. */
  readonly shadow: boolean;
}

/** @returns the exit status. @throws UsageError for bad usage, or when no cluster is reachable. */
export async function why(options: WhyOptions, console: Console): Promise<number> {
  const job = jobNameOf(options.job);
  const controllerNamespace = named("--controller-namespace", options.controllerNamespace);
  const controllerUrl = options.controller === undefined ? undefined : addressOf(options.controller);
  const kubeconfig = kubeconfigFor(options, console);
  const credentials = asUsageError(() => loadCredentials(options, kubeconfig, console));
  // Without credentials only a controller at an address can be asked.
  if (credentials instanceof UsageError && controllerUrl === undefined) throw credentials;
  const ownNamespace = (credentials instanceof UsageError ? undefined : credentials.namespace) ?? "default";
  const target: JobTarget = { namespace: named("the namespace", options.namespace ?? ownNamespace), job };
  if (options.shadow) return tellDivergences(target, controllerUrl, options.output, console);
  const clock = new RealClock();
  const reader = credentials instanceof UsageError ? credentials : new ApiReader(credentials, clock);
  try {
    const answer = await findAnswer({
      target,
      controllerUrl,
      controllerNamespace,
      reader,
      engineModule: loadEngineModule,
    });
    const nowMs = reader instanceof ApiReader ? reader.now() : clock.now();
    if (options.output === "json") {
      console.writeOut(`${JSON.stringify(answer === undefined ? notFound(target) : jsonOf(answer))}\n`);
    } else if (answer !== undefined) {
      const clusterOptions = [
        // kubectl reads $KUBECONFIG too, but has another default.
        ...(kubeconfig === undefined ? [] : ["--kubeconfig", shellWord(kubeconfig)]),
        ...(options.context === undefined ? [] : ["--context", shellWord(options.context)]),
      ];
      const namespaceOptions = target.namespace === ownNamespace ? [] : ["-n", target.namespace];
      writeText(console, `${textOf(answer, namespaceOptions, clusterOptions, console, nowMs).join("\n")}\n`);
    }
    if (answer === undefined) {
      const api = reader as ApiReader; // Only a reader can find that there is no such Job.
      const similar = similarJobs({ namespace: target.namespace, name: job }, await namesOfJobs(api, target.namespace));
      console.writeError(
        `stint: there is no Job ${job} in namespace ${target.namespace} of ${api.origin}.\n${adviceOf(target.namespace, similar)}\n`,
      );
    }
    return answer === undefined ? EXIT_BAD_INPUT : EXIT_FOUND;
  } finally {
    if (reader instanceof ApiReader) await reader.close();
    clock.stop();
  }
}

function textOf(
  { explanation, source, next, lastFailure, account, remarks, events }: Answer,
  namespaceOptions: readonly string[],
  clusterOptions: readonly string[],
  { terminal, environment }: Console,
  nowMs: number,
): string[] {
  const style = styleFor(terminal !== undefined, environment);
  const columns = terminal?.().columns;
  const warnings = warningLines(events, nowMs, style, columns);
  // Its pods may not be read: the sentence is the status's, and not that of a rule.
  const hasNoRule = source === "objects" && explanation.code === NOT_LISTED;
  return [
    ...explanationLines(hasNoRule ? { ...explanation, code: "" } : explanation, nowMs, style, {
      columns,
      next,
      lastFailure,
      remarks,
      account,
      kubectlOptions: [...namespaceOptions, ...clusterOptions].map((word) => ` ${word}`).join(""),
      clusterOptions: clusterOptions.map((word) => ` ${word}`).join(""),
    }),
    ...(warnings.length === 0 ? [] : ["", ...warnings]),
  ];
}

function jsonOf({ explanation, source, lastFailure, account, remarks, events }: Answer): object {
  const { holds, next, remedies } = account ?? {};
  return { ...explanation, source, lastFailure, holds, next, remedies, remarks, events };
}

/** The explanation that an engine gives for an unknown Job. */
function notFound({ namespace, job }: JobTarget): Explanation {
  return {
    namespace,
    job,
    found: false,
    state: "Unknown",
    sentence: "no such Job is known",
    nextMs: null,
    decisions: [],
  };
}

/** Names of existing Jobs, of all namespaces if the user may list those. Empty if the server refuses. */
async function namesOfJobs(reader: ApiReader, namespace: string): Promise<JobName[]> {
  try {
    for (const scope of [undefined, namespace]) {
      const response = await reader.get(withQuery(resourcePath(JOBS, scope), { limit: MAX_NAMES }), NAMES_ALONE);
      if (response.status === 200)
        return (answeredObject(response)["items"] as { readonly metadata: JobName }[]).map(({ metadata }) => ({
          namespace: metadata.namespace,
          name: metadata.name,
        }));
    }
  } catch {
    // A suggestion that fails is left out, without an error.
  }
  return [];
}

function adviceOf(namespace: string, similar: readonly JobName[]): string {
  if (similar.length === 0)
    return "`kubectl get jobs --all-namespaces` lists the Jobs there are; --namespace names another namespace.";
  const commands = similar.map(
    (job) =>
      `  stint why ${printable(job.name)}${job.namespace === namespace ? "" : ` -n ${printable(job.namespace)}`}`,
  );
  return ["Did you mean this?", ...commands].join("\n");
}

/** Without a slash at its end. */
function addressOf(controller: string): string {
  const url = URL.parse(controller);
  if (
    (url?.protocol === "http:" || url?.protocol === "https:") &&
    url.username === "" &&
    url.password === "" &&
    url.search === "" &&
    url.hash === ""
  )
    return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
  throw new UsageError(
    `--controller is ${JSON.stringify(controller.replace(/\/\/[^/@]*@/, "//…@"))}; allowed is the address of a controller's status pages, such as http://127.0.0.1:8080, without a user, ? or #`,
  );
}
