/** The past that is read from the record is the past that was: a look at an instant tells what a run to there tells. */
import { describe, expect, test } from "vitest";
import { LESSONS } from "../../../host-browser/catalogue/lessons.ts";
import type { Input } from "../../../cluster/simulation/scenario.ts";
import { seededRandom } from "../../../cluster/values/random.ts";
import { jobYaml, Run, type RunOptions } from "./run.ts";
import { tries } from "../../tries.ts";

const INSTANTS = tries(12, 4);
/** One of the lessons has a thousand pods, and machines may be busy. */
const TIMEOUT_MS = 240_000;
const JOB = { namespace: "default", name: "pi" };
const INDEXED = jobYaml("completions: 6\nparallelism: 3\ncompletionMode: Indexed", '{ "runMs": 20000 }');
const DRAIN: Input = { atMs: 5_000, action: { kind: "drain", node: "node-1" } };
const FAILING = jobYaml(
  "completions: 4\nparallelism: 4\ncompletionMode: Indexed\nbackoffLimitPerIndex: 2",
  '{ "runMs": 3000, "byIndex": { "1": { "exitCode": 3 }, "3": { "exitCode": 137 } } }',
);

/** The name of a pod that runs at 40 s, after the drain. */
function podAt40s(): string {
  const names: string[] = [];
  const run = new Run(INDEXED, { inputs: [DRAIN] }).to(40_000);
  const { podTable } = run.look({ atMs: 40_000, job: 0 });
  for (const [name, , status] of podTable.rows) if (status === "Running") names.push(name!);
  return names[0]!;
}

/** What is run: every lesson of the catalogue, and what people do to a Job. */
const RUNS: Readonly<Record<string, readonly [yaml: string, options?: RunOptions]>> = {
  ...Object.fromEntries(LESSONS.map(({ id, scenario: { yaml, ...rest } }) => [id, [yaml, rest] as const])),
  "back-off of single indexes": [FAILING],
  "a Job that is suspended, resumed and scaled": [
    INDEXED,
    {
      inputs: [
        { atMs: 5_000, action: { kind: "suspend", ...JOB } },
        { atMs: 30_000, action: { kind: "resume", ...JOB } },
        { atMs: 40_000, action: { kind: "scale", ...JOB, parallelism: 8, completions: 8 } },
        { atMs: 60_000, action: { kind: "delete-job", ...JOB } },
      ],
    },
  ],
  "a node that is drained, and a pod that is deleted": [
    INDEXED,
    {
      inputs: [
        DRAIN,
        { atMs: 40_000, action: { kind: "delete-pod", namespace: "default", name: podAt40s() } },
        { atMs: 50_000, action: { kind: "uncordon", node: "node-1" } },
      ],
    },
  ],
  "a controller that is away, and an API server that fails": [
    INDEXED,
    {
      inputs: [
        { atMs: 3_000, action: { kind: "restart-controller", downMs: 30_000 } },
        { atMs: 60_000, action: { kind: "api-errors", status: 500, forMs: 15_000 } },
        { atMs: 90_000, action: { kind: "slow-api", delayMs: 700, forMs: 20_000 } },
      ],
    },
  ],
};

describe.each(Object.entries(RUNS))("%s", (_name, [yaml, options]) => {
  test("at random instants, a look into the past is what a fresh run to there shows", { timeout: TIMEOUT_MS }, () => {
    const whole = new Run(yaml, options).toEnd();
    const random = seededRandom(7);
    const {
      flags,
      versions: { atMs: versions },
    } = whole.history.take();
    expect(flags.filter(({ problem }) => problem !== undefined)).toEqual([]);
    // Half of the instants are those of writes and the milliseconds round them, for most changes are there.
    const instants = Array.from({ length: INSTANTS }, (_, i) =>
      i % 2 === 0
        ? Math.floor(random() * whole.world.now())
        : Math.max(0, versions[Math.floor(random() * versions.length)]! + Math.floor(random() * 3) - 1),
    );
    const fresh = new Run(yaml, options);
    for (const atMs of instants.toSorted((a, b) => a - b)) {
      fresh.to(atMs);
      fresh.history.book.tracks.forEach((_track, job) => {
        const query = { atMs, job, pod: job };
        expect(whole.look(query), `Job ${job} at ${atMs} ms`).toEqual(fresh.look(query));
      });
    }
  });
});
