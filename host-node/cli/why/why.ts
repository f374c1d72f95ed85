/**
 * `stint why`: says why a Job, a CronJob, a pod or a JobSet is in its state, and what comes next, on any cluster. For a
 * Job it asks a controller of this project, or else reads the Job's own objects.
 *
 * Invariant: it changes nothing, and never shows a credential.
 */
import { RealClock } from "../../clock.ts";
import { loadEngineModule } from "../../engine-module.ts";
import { UsageError } from "../../usage-error.ts";
import { asUsageError, type ClusterChoice, kubeconfigFor, loadCredentials, named } from "../cluster-access.ts";
import type { Console } from "../console.ts";
import { EXIT_BAD_INPUT } from "../exit-status.ts";
import { shellWord } from "../../words/shell-word.ts";
import { styleFor } from "../../words/style.ts";
import { documentLine } from "../json/document.ts";
import { writeText } from "../output/wrapped.ts";
import { ApiReader } from "./api-reader.ts";
import { tellDivergences } from "./divergences.ts";
import { type Subject, subjectOf } from "./subject.ts";
import { tellJob } from "./tell-job.ts";
import { tellObject } from "./tell-object.ts";
import { type TextContext, textContext, type Told } from "./told.ts";
import { watchAnswers } from "./watch.ts";

const EXIT_FOUND = 0;

export interface WhyOptions extends ClusterChoice {
  /** As kubectl shows it; without a kind it is a Job: `pi`, `job/pi`, `job.batch/pi`, `cronjob/report`. */
  readonly job: string;
  readonly namespace: string | undefined;
  /** Address of a controller to ask first. */
  readonly controller: string | undefined;
  /** The namespace of a `stint controller`'s Lease. */
  readonly controllerNamespace: string;
  readonly output: "text" | "json";
  /** Prints the findings of a shadow at that address about the Job, instead. */
  readonly shadow: boolean;
  /** Prints anew when the answer changes, until the object has ended or the process gets a signal. */
  readonly watch?: boolean;
}

/** @returns the exit status. @throws UsageError for bad usage, or when no cluster is reachable. */
export async function why(options: WhyOptions, console: Console): Promise<number> {
  const subject = subjectOf(options.job);
  const controllerNamespace = named("--controller-namespace", options.controllerNamespace);
  const controllerUrl = options.controller === undefined ? undefined : addressOf(options.controller);
  refuseController(subject, controllerUrl);
  if (options.shadow && options.watch === true)
    throw new UsageError("both --shadow and --watch are given; allowed is one of them");
  const kubeconfig = kubeconfigFor(options, console);
  const credentials = asUsageError(() => loadCredentials(options, kubeconfig, console));
  // Without credentials only a controller at an address can be asked.
  if (credentials instanceof UsageError && controllerUrl === undefined) throw credentials;
  const ownNamespace = (credentials instanceof UsageError ? undefined : credentials.namespace) ?? "default";
  const namespace = named("the namespace", options.namespace ?? ownNamespace);
  const target = { namespace, job: subject.name };
  if (options.shadow) return tellDivergences(target, controllerUrl, options.output, console);
  const clock = new RealClock();
  const reader = credentials instanceof UsageError ? credentials : new ApiReader(credentials, clock);
  const context = (): TextContext =>
    contextOf(
      { options, kubeconfig, namespace, ownNamespace, console },
      reader instanceof ApiReader ? reader.now() : clock.now(),
    );
  const question = { target, controllerUrl, controllerNamespace, reader, engineModule: loadEngineModule };
  const ask = (): Promise<Told> =>
    reader instanceof UsageError || subject.kind === "Job"
      ? tellJob(question, context)
      : tellObject(reader, subject.kind, { namespace, name: subject.name }, context);
  try {
    if (options.watch !== true) return print(await ask(), options.output, console);
    let gap = "";
    const printNext = (told: Told): number => {
      if (options.output === "text" && told.lines !== undefined) console.writeOut(gap);
      gap = "\n";
      return print(told, options.output, console);
    };
    return await watchAnswers({ ask, print: printNext, clock, console });
  } finally {
    if (reader instanceof ApiReader) await reader.close();
    clock.stop();
  }
}

/** Controllers explain Jobs alone. Its findings as a shadow, too, are about Jobs. */
function refuseController({ kind }: Subject, controllerUrl: string | undefined): void {
  if (kind !== "Job" && controllerUrl !== undefined)
    throw new UsageError(
      `--controller is given for a ${kind}; allowed is a Job, because a controller explains Jobs alone`,
    );
}

interface Called {
  readonly options: WhyOptions;
  readonly kubeconfig: string | undefined;
  readonly namespace: string;
  readonly ownNamespace: string;
  readonly console: Console;
}

function contextOf({ options, kubeconfig, namespace, ownNamespace, console }: Called, nowMs: number): TextContext {
  const { terminal, environment } = console;
  const clusterOptions = [
    // kubectl reads $KUBECONFIG too, but has another default.
    ...(kubeconfig === undefined ? [] : ["--kubeconfig", shellWord(kubeconfig)]),
    ...(options.context === undefined ? [] : ["--context", shellWord(options.context)]),
  ];
  const namespaceOptions = namespace === ownNamespace ? [] : ["-n", namespace];
  return textContext({
    nowMs,
    style: styleFor(terminal !== undefined, environment),
    columns: terminal?.().columns,
    clusterOptions: clusterOptions.map((word) => ` ${word}`).join(""),
    kubectlOptions: [...namespaceOptions, ...clusterOptions].map((word) => ` ${word}`).join(""),
  });
}

/** @returns the exit status */
function print({ json, lines, problem }: Told, output: WhyOptions["output"], console: Console): number {
  if (output === "json") console.writeOut(documentLine(json));
  else if (lines !== undefined) writeText(console, `${lines.join("\n")}\n`);
  if (problem !== undefined) console.writeError(`stint: ${problem}\n`);
  return lines === undefined ? EXIT_BAD_INPUT : EXIT_FOUND;
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
