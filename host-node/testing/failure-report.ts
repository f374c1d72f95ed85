/**
 * Saves the recording of a failed test's cluster as a file, and prints how to look into it.
 *
 * Invariant: it never throws, because the failure of the test is what counts. A recording of an earlier run of the same
 * test is replaced; nothing else is.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { deflateRawSync } from "node:zlib";
import { JOBS, resourcePath } from "../../cluster/client/client.ts";
import { shellWord } from "../words/shell-word.ts";
import { writeProblem } from "../usage-error.ts";
import { ControlError } from "../control/control-error.ts";
import type { ClusterControls } from "../control/controls.ts";
import { trueCondition } from "../../cluster/values/job-conditions.ts";
import type { TestCluster } from "./test-cluster.ts";
import type { Job } from "../../cluster/values/kinds.ts";

const DEFAULT_FOLDER = "stint-recordings";
const EXTENSION = ".stint.jsonl";
const MAX_NAME_LENGTH = 100;
/** Some forty pods. A longer link would fill the terminal. */
const MAX_LINK_LENGTH = 100_000;
/** The most Jobs that are explained. */
const MAX_JOBS = 5;

export interface ReportPlace {
  /** The folder in STINT_RECORDINGS; empty: no recording is written. */
  readonly folder: string;
  /** The address of a playground in STINT_PLAYGROUND; Stint hosts none. */
  readonly playground: string | undefined;
}

export function placeOf(environment: Readonly<Record<string, string | undefined>> = process.env): ReportPlace {
  const { STINT_RECORDINGS: folder = DEFAULT_FOLDER, STINT_PLAYGROUND: playground } = environment;
  return { folder, playground: playground || undefined };
}

/** The clusters whose recordings a failed matcher has written: its message explains the failure. */
const reported = new WeakSet<ClusterControls>();

/**
 * The report on a cluster whose test has failed: what its Jobs wait for, unless a matcher has said it. @returns lines
 */
export function reportFailure(cluster: TestCluster, test: string, place = placeOf()): string[] {
  if (reported.has(cluster)) return [];
  const jobs = (cluster.find(resourcePath(JOBS))?.["items"] ?? []) as readonly Job[];
  // Completed Jobs explain no failure.
  const told = jobs.filter((job) => trueCondition(job, "Complete") === undefined).slice(0, MAX_JOBS);
  const texts = told.map((job) => cluster.why(qualifiedJob(job)));
  return [
    `the cluster of the failed test ${JSON.stringify(test)}, at ${new Date(cluster.now()).toISOString()}:`,
    ...texts.flatMap((text) => ["", text]),
    ...(texts.length === 0 ? [`  ${jobs.length} Jobs, and none has failed or is unfinished`] : [""]),
    ...leaveRecording(cluster, test, place),
  ];
}

/** Writes the recording. @returns lines that name its file, or the reason why there is none */
export function leaveRecording(cluster: ClusterControls, test: string, place = placeOf()): string[] {
  if (place.folder === "") return [];
  const path = resolve(place.folder, `${fileName(test)}${EXTENSION}`);
  const fromHere = relative(process.cwd(), path);
  const shown = fromHere.startsWith("..") ? path : fromHere;
  let bytes: Uint8Array;
  try {
    bytes = cluster.recording();
    mkdirSync(place.folder, { recursive: true });
    // It holds everything that is in the pods.
    writeFileSync(path, bytes, { mode: 0o600 });
    reported.add(cluster);
  } catch (error) {
    const isRefusal = error instanceof ControlError;
    return [isRefusal ? `recording: none; ${error.message}` : `recording: ${shown} is missing: ${writeProblem(error)}`];
  }
  return [
    `recording: ${shown}`,
    `  stint replay ${shellWord(shown)}`,
    ...(place.playground === undefined ? [] : [playgroundLine(place.playground, bytes)]),
  ];
}

/** The link holds the recording, so no server is needed for it. */
function playgroundLine(playground: string, recording: Uint8Array): string {
  const link = `${playground}#r1/${deflateRawSync(recording).toString("base64url")}`;
  return link.length <= MAX_LINK_LENGTH ? `  ${link}` : `  or open that file in the playground: ${playground}`;
}

function qualifiedJob({ metadata: { namespace, name } }: Job): string {
  return `${namespace}/job/${name}`;
}

function fileName(test: string): string {
  const words = test.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, "");
  return words.slice(0, MAX_NAME_LENGTH) || "test";
}
