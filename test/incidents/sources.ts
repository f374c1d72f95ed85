/** What each part of the product says of an incident that was played: its codes, each with its words. */
import type { LintReport } from "../../host-node/cli/lint/document.ts";
import { findCronJob } from "../../host-node/cli/why/cron-job.ts";
import { accountBy } from "../../cluster/observed/offline-engine.ts";
import { main } from "../host-node/cli/checked-main.ts";
import { RecordingConsole } from "../host-node/cli/recording-console.ts";
import { incidentFolder, type Incident, type Source } from "../../host-node/incidents/incident.ts";
import type { Seen } from "../../host-node/incidents/play.ts";

export interface Said {
  readonly code: string;
  readonly words: string;
}

/** Empty: it names no cause. */
export async function ask(source: Source, incident: Incident, seen: Seen): Promise<readonly Said[]> {
  switch (source) {
    case "account":
      return accountOf(seen);
    case "verdict":
      return verdictOf(seen);
    case "explain": {
      const { code } = seen.explanation ?? {};
      return code === undefined ? [] : [{ code, words: seen.why }];
    }
    case "why":
      return cronJobOf(incident, seen);
    case "pods": {
      const [first] = seen.explanation?.pods ?? [];
      return first === undefined ? [] : [{ code: first.reason, words: seen.why }];
    }
    case "event":
      return seen.events.map(({ reason, message, note, involvedObject, regarding }) => ({
        code: String(reason),
        words: `${(involvedObject ?? regarding)?.name}: ${message ?? note}`,
      }));
    case "lint":
      return findingsOf(incident);
    case "refusal":
      return seen.refusals.map((words) => ({ code: "Refused", words }));
  }
}

function accountOf({ job, pods, events, engine, nowMs }: Seen): readonly Said[] {
  if (job === undefined) return [];
  const { attempts, last, holds } = engine.account({ job, pods, events }, nowMs);
  const attempt = last === null ? attempts.at(-1) : attempts[last];
  const held = holds.flatMap(({ code, reason, sentence }) =>
    [code, reason].filter((each) => each !== "").map((each) => ({ code: each, words: sentence })),
  );
  if (attempt === undefined || attempt.endedBy === null) return held;
  return [{ code: attempt.endedBy, words: attempt.sentence }, ...held];
}

function verdictOf({ job, presentPods, engine, nowMs }: Seen): readonly Said[] {
  if (job === undefined) return [];
  const { reason, sentence } = engine.verdict({ job, pods: presentPods }, nowMs);
  return [{ code: reason, words: sentence }];
}

/** What `stint why` says of the CronJob. */
async function cronJobOf({ subject: { name } }: Incident, { get, nowMs, engine }: Seen): Promise<readonly Said[]> {
  const reader = { origin: "", now: () => nowMs, get: async (path: string) => get(path), dryRun: async () => get("/") };
  const answer = await findCronJob(reader, { namespace: "default", name }, accountBy(engine, reader.now));
  return answer === undefined ? [] : [{ code: answer.state, words: answer.sentence }];
}

async function findingsOf({ file }: Incident): Promise<readonly Said[]> {
  const console = new RecordingConsole(incidentFolder());
  await main(["lint", "--output", "json", file], "0.0.0", console);
  const { findings } = JSON.parse(console.out) as LintReport;
  return findings.map(({ code, field, sentence }) => ({ code, words: `${field}: ${sentence}` }));
}

/** What the object is called in the words: the last part of the path of a field, else its name. */
export function nameOf(object: string): string {
  const [kind, name = ""] = object.split(" ");
  if (kind !== "field") return name;
  return name
    .split(".")
    .at(-1)!
    .replace(/\[\d+\]$/, "");
}
