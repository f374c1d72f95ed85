/**
 * Everything that the panels show of one Job for one instant, from the history alone. Invariant: nothing in it is newer
 * than the instant, and lists have at most MAX_VIEW_ROWS rows, the newest.
 */
import { jobTable } from "../../cluster/apiserver/tables/jobs.ts";
import type { KubeObject, TypedObject } from "../../cluster/values/types.ts";
import { MAX_VIEW_ROWS, type Query, type TextTable, type View } from "../messages.ts";
import { NONE, PodState } from "../records.ts";
import { conditionsAt } from "./conditions.ts";
import { describeJob } from "./describe/job.ts";
import { describePod } from "./describe/pod.ts";
import { differencesAt } from "./differences.ts";
import type { Said } from "./explanations.ts";
import type { History } from "./history.ts";
import { jobVersionAt, versionCount } from "./job-versions.ts";
import type { JobTrack } from "./job-track.ts";
import { podTableOf } from "./pod-rows.ts";
import { podsThen } from "./pod-scan.ts";
import { decisionsAt, eventsFrom, eventsAt, requestsAt } from "./rows.ts";
import { cellsOf, columnNames } from "./table-cells.ts";
import { statusAt } from "./status-lines.ts";
import { whyAt } from "./why.ts";
import { yamlLines } from "./yaml-lines.ts";

const NO_TABLE: TextTable = { columns: [], ids: [], rows: [] };

export function viewAt(history: History, query: Query): View {
  const { atMs, why } = query;
  const track = history.book.track(query.job);
  const asked = why === undefined ? {} : whyOf(history, why, atMs);
  return { ...(track === undefined ? nothing(atMs) : jobView(history, query, track)), ...asked };
}

function whyOf(history: History, cause: NonNullable<Query["why"]>, atMs: number): Pick<View, "why"> {
  const why = whyAt(history, cause, atMs);
  return why === undefined ? {} : { why };
}

function nothing(atMs: number): View {
  return {
    atMs,
    sentence: "There is no Job yet.",
    code: "",
    differences: [],
    jobTable: NO_TABLE,
    podTable: NO_TABLE,
    status: [],
    conditions: [],
    description: "",
    version: NONE,
    events: [],
    decisions: [],
    requests: [],
    skip: 0,
    podCount: 0,
    eventCount: 0,
    decisionCount: 0,
    requestCount: 0,
  };
}

function jobView(history: History, { atMs, pod, skip = 0 }: Query, track: JobTrack): View {
  const { book, podVersions } = history;
  const version = jobVersionAt(history, track, atMs);
  const said = saidAt(history, track, atMs);
  const pods = podsThen(book, track, atMs, skip);
  const job = version?.object;
  const events = eventsAt(history, track, atMs, skip);
  const decisions = decisionsAt(history, track, atMs, skip);
  const requests = requestsAt(history, track, atMs, skip);
  return {
    atMs,
    sentence: said.sentence,
    code: said.code,
    ...(said.nextMs === undefined ? {} : { nextMs: said.nextMs }),
    differences: differencesAt(history, track, { atMs, said, pods }),
    jobTable: jobsAt(history, atMs),
    podTable: podTableOf(book, podVersions, pods.shown, atMs),
    skip,
    podCount: pods.count,
    eventCount: events.count,
    decisionCount: decisions.count,
    requestCount: requests.count,
    version: version?.row ?? NONE,
    status: statusAt(history, track, atMs),
    conditions: conditionsAt(history, track, atMs),
    description:
      job === undefined
        ? ""
        : describeJob(job, eventsFrom(history, history.events.lastAboutJob(track.id), atMs), atMs + book.startMs),
    events: events.rows,
    decisions: decisions.rows,
    requests: requests.rows,
    ...podOf(history, pod, atMs),
  };
}

/** What there is to say without the engine. */
const NOT_CREATED = "There is no such Job yet.";
const GONE = "The Job is gone: the controller has nothing to do for it.";
const NOT_SEEN = "The controller has not looked at it yet.";

function saidAt(history: History, track: JobTrack, atMs: number): Said {
  if (jobVersionAt(history, track, atMs) !== undefined)
    return track.explanations.at(atMs) ?? { code: "NotListed", sentence: NOT_SEEN, atMs };
  return { code: "", sentence: versionCount(history, track, atMs) === 0 ? NOT_CREATED : GONE, atMs };
}

function jobsAt(history: History, atMs: number): TextTable {
  const { tracks, startMs } = history.book;
  const present = tracks.flatMap((track) => {
    const object = jobVersionAt(history, track, atMs)?.object;
    return object === undefined ? [] : [{ id: track.id, object }];
  });
  const shown = present.slice(-MAX_VIEW_ROWS);
  return {
    columns: columnNames(jobTable),
    ids: shown.map(({ id }) => id),
    rows: shown.map(({ object }) => cellsOf(jobTable, object, atMs + startMs)),
  };
}

function podOf(history: History, pod: number | undefined, atMs: number): Pick<View, "pod"> {
  const { book, podVersions } = history;
  if (pod === undefined || pod < 0 || pod >= book.tables.pods.length) return {};
  const row = book.tables.transitionAt(pod, atMs);
  if (row === NONE || book.tables.transitions.columns.state.at(row) === PodState.GONE) return {};
  const object = podVersions.at(pod, atMs);
  if (object === undefined) {
    const text = "So many pods were written that this version of the pod is no longer kept.";
    return { pod: { description: text, yaml: `# ${text}` } };
  }
  const events = eventsFrom(history, history.events.lastAboutPod(pod), atMs);
  return {
    pod: {
      description: describePod(object, events, atMs + book.startMs),
      yaml: `${yamlLines(ofKind(object, "v1", "Pod"))
        .map(({ text }) => text)
        .join("\n")}\n`,
    },
  };
}

/** The store may leave out fields that all of its objects share. */
function ofKind(object: TypedObject, apiVersion: string, kind: string): KubeObject {
  return { apiVersion, kind, ...object };
}
