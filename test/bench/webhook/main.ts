/**
 * `npm run bench:webhook`: how long reviews take, as an API server sees it: the real `stint webhook` in a process of
 * its own, asked over HTTPS by 8 connections at once, each with its next request as soon as the last is answered.
 *
 * The rounds of all kinds take turns, so that a machine that gets slower slows all of them. Times are those of the
 * client, which takes a separate processor; processor time is that of the webhook alone. Nothing passes or fails.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createServerCertificate } from "../../../host-node/server/certificates.ts";
import { toolArguments } from "../../arguments.ts";
import { BUNDLE } from "../../host-node/serving.ts";
import { job, responseIn, reviewOf } from "../../host-node/webhook/reviews.ts";
import { startWebhook } from "../../host-node/webhook/running-webhook.ts";
import { usageOf } from "../../kubernetes/process-usage.ts";
import { percentile } from "../percentile.ts";

const HELP = `Measures how long stint webhook takes for a review, with 8 connections at once.

usage: npm run bench:webhook -- [--quick]

  --quick     fewer reviews: some seconds, to see that everything runs
  --help      prints this

Exit status: 0 when all were measured, 2 for arguments that make no sense.
`;
const CONNECTIONS = 8;
const FULL = { rounds: 10, reviews: 1000 };
const QUICK = { rounds: 2, reviews: 200 };
const JOB_BYTES = 4096;
/** All rules of lint, the forecast, and all budgets. */
const ALL = "failOn: deny\nforecast: [warning, annotation]\n";
const WITHIN = `${ALL}maxPods: 100\nmaxPodHours: 100\nmaxDuration: 24h\n`;
const BEYOND = `${ALL}maxPods: 5\nmaxPodHours: 0.1\nmaxDuration: 5m\n`;
const PROFILES = { lint: "{}", within: WITHIN, beyond: BEYOND };

interface Kind {
  readonly title: string;
  readonly path: string;
  /** What each answer says: how many warnings, or how many causes. */
  readonly expected: string;
}

const KINDS: readonly Kind[] = [
  { title: "Kubernetes' rules alone", path: "/validate", expected: "allowed, 0 warnings" },
  { title: "and lint", path: "/validate/lint", expected: "allowed, 2 warnings" },
  { title: "and lint, forecast, all budgets", path: "/validate/within", expected: "allowed, 3 warnings" },
  { title: "the same, denied by all budgets", path: "/validate/beyond", expected: "denied, 3 causes" },
  { title: "defaults and the forecast as annotation", path: "/mutate/within", expected: "allowed, 0 warnings" },
];

/** A Job of some 4 KB within the larger budgets, of which two rules of lint warn. */
function reviewText(): string {
  const spec = { activeDeadlineSeconds: 3600, backoffLimit: 7, parallelism: 10, completions: 10 };
  const padded = (note: string): string => reviewOf(job({ spec, metadata: { annotations: { note } } }));
  return padded("x".repeat(JOB_BYTES - padded("").length));
}

function sayingOf(answer: string): string {
  const { allowed, warnings, status } = responseIn(answer);
  if (allowed) return `allowed, ${warnings?.length ?? 0} warnings`;
  return `denied, ${status?.details?.causes.length} causes`;
}

/** The milliseconds that each review took. @throws Error when an answer is not as expected */
async function ask(agent: Agent, url: string, authority: string, kind: Kind, reviews: number): Promise<number[]> {
  const body = reviewText();
  const headers = { "content-type": "application/json", "content-length": body.length };
  const times: number[] = [];
  const one = (): Promise<string> =>
    new Promise((resolve, reject) => {
      request(url + kind.path, { method: "POST", agent, ca: authority, headers }, (response) => {
        let text = "";
        response.on("data", (chunk: Buffer) => (text += chunk.toString()));
        response.on("end", () => resolve(text));
      })
        .on("error", reject)
        .end(body);
    });
  const connection = async (share: number): Promise<void> => {
    for (let i = 0; i < share; i++) {
      const beganMs = performance.now();
      const answer = await one();
      times.push(performance.now() - beganMs);
      if (i > 0) continue;
      const saying = sayingOf(answer);
      if (saying !== kind.expected) throw new Error(`${kind.path} answers ${saying}, not ${kind.expected}: ${answer}`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, () => connection(reviews / CONNECTIONS)));
  return times;
}

async function measure({ rounds, reviews }: typeof FULL): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "stint-bench-webhook-"));
  mkdirSync(join(directory, "profiles"));
  for (const [name, text] of Object.entries(PROFILES)) writeFileSync(join(directory, "profiles", `${name}.yaml`), text);
  const certificate = createServerCertificate(Date.now());
  const webhook = await startWebhook(directory, certificate, ["--profiles", "profiles"], {}, BUNDLE);
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const times = KINDS.map((): number[] => []);
  const cpuSeconds = KINDS.map(() => 0);
  try {
    // The first round is thrown away: code is compiled, and connections are made.
    for (let round = 0; round <= rounds; round++) {
      for (const [i, kind] of KINDS.entries()) {
        const before = usageOf(webhook.pid).cpuSeconds;
        const took = await ask(agent, webhook.url, certificate.authority, kind, reviews);
        if (round === 0) continue;
        times[i]!.push(...took);
        cpuSeconds[i]! += usageOf(webhook.pid).cpuSeconds - before;
      }
    }
    console.log(`${CONNECTIONS} connections, reviews of ${JOB_BYTES} bytes, ${rounds * reviews} of each kind\n`);
    console.log(row(["", "p50", "p99", "most", "CPU a review"]));
    for (const [i, { title }] of KINDS.entries()) {
      const [p50, p99, most] = [0.5, 0.99, 1].map((share) => `${percentile(times[i]!, share).toFixed(2)} ms`);
      const cpu = `${((cpuSeconds[i]! * 1000) / (rounds * reviews)).toFixed(2)} ms`;
      console.log(row([title, p50!, p99!, most!, cpu]));
    }
    const { residentBytes, peakResidentBytes } = usageOf(webhook.pid);
    const [now, peak] = [residentBytes, peakResidentBytes].map((bytes) => (bytes / 1024 / 1024).toFixed(0));
    console.log(`\nresident: ${now} MiB, at the peak ${peak} MiB`);
  } finally {
    agent.destroy();
    await webhook.stop();
    rmSync(directory, { recursive: true });
  }
}

function row([title = "", ...cells]: readonly string[]): string {
  return title.padEnd(42) + cells.map((cell) => cell.padStart(14)).join("");
}

function readArguments(args: readonly string[]): typeof FULL | undefined {
  const options = { quick: { type: "boolean", default: false }, help: { type: "boolean", default: false } } as const;
  const { values } = parseArgs({ args: [...args], options });
  if (values.help) return undefined;
  return values.quick ? QUICK : FULL;
}

const sizes = toolArguments(readArguments, HELP);
if (sizes !== undefined) await measure(sizes);
