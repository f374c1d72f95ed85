/**
 * Everything that the page shows of one Job for one instant, from the history alone: its sentence, and the data of
 * each panel (panels/). Invariant: nothing in it is newer than the instant, and lists have at most MAX_VIEW_ROWS rows,
 * the newest.
 */
import { PANEL_DATA, type PanelData } from "../../build/panel-data.ts";
import type { Query } from "../messages.ts";
import type { AskAccount } from "./account.ts";
import { differencesAt } from "./differences.ts";
import type { Said } from "./explanations.ts";
import type { History } from "./history.ts";
import { jobVersionAt, versionCount } from "./job-versions.ts";
import type { JobTrack } from "./job-track.ts";
import type { Look } from "./look.ts";
import { podsThen } from "./pod-scan.ts";

export type View = Head & PanelData;

/** What the page says beside its panels. */
interface Head {
  readonly atMs: number;
  /** The engine's sentence at that instant: the state of the Job, its reason, what comes next. */
  readonly sentence: string;
  /** Code of the decision or explanation that the sentence is; for docs/decisions.md. */
  readonly code: string;
  /** When the Job moves on without any event. */
  readonly nextMs?: number;
  /** Where the controller's view differs from the API (a write under way, a watch event not seen): sentences. */
  readonly differences: readonly string[];
  /** How many rows of each list come before those that are shown. */
  readonly skip: number;
}

/** Whether the answer needs the whole engine, which may not be there yet. */
export function needsAccount({ panel, why }: Query): boolean {
  return panel === "account" || why?.of === "transition";
}

/** @param ask undefined: the whole engine is not there */
export function viewAt(history: History, query: Query, ask?: AskAccount): View {
  const { atMs, skip = 0 } = query;
  const track = history.book.track(query.job);
  const look: Look = {
    history,
    query,
    atMs,
    skip,
    track,
    version: track && jobVersionAt(history, track, atMs),
    pods: track && podsThen(history.book, track, atMs, skip),
    ask,
  };
  return Object.assign(headAt(look), ...PANEL_DATA.map((data) => data(look))) as View;
}

function headAt(look: Look): Head {
  const { history, track, pods, atMs, skip } = look;
  if (track === undefined || pods === undefined)
    return { atMs, sentence: "There is no Job yet.", code: "", differences: [], skip: 0 };
  const said = saidAt(look, track);
  return {
    atMs,
    sentence: said.sentence,
    code: said.code,
    ...(said.nextMs === undefined ? {} : { nextMs: said.nextMs }),
    differences: differencesAt(history, track, { atMs, said, pods }),
    skip,
  };
}

/** What there is to say without the engine. */
const NOT_CREATED = "There is no such Job yet.";
const GONE = "The Job is gone: the controller has nothing to do for it.";
const NOT_SEEN = "The controller has not looked at it yet.";

function saidAt({ history, version, atMs }: Look, track: JobTrack): Said {
  if (version !== undefined) return track.explanations.at(atMs) ?? { code: "NotListed", sentence: NOT_SEEN, atMs };
  return { code: "", sentence: versionCount(history, track, atMs) === 0 ? NOT_CREATED : GONE, atMs };
}
