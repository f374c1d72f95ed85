/**
 * What a change must pass, as data: the stages of `.ci/run` in their order, each a command with a limit of time and the
 * processors that it keeps busy. Stages run at the same time as long as there are processors for them (together.ts).
 *
 * Invariant: names are unique, because a stage is run alone by its name (`.ci/run "npm test"`). No stage changes what
 * another one uses, but for those in its `after` and those that run alone. Leaves out how a stage is run and judged
 * (run-stage.ts), and the first `npm start` of a fresh clone, which `.ci/run` does.
 */
import { accessSync, constants } from "node:fs";

export interface CiStage {
  readonly name: string;
  /** After this time the stage is ended, and has failed. */
  readonly limitSeconds: number;
  /** How many processors it keeps busy on average, by what `.ci/run` prints. {@link ALONE}: nothing runs beside it. */
  readonly cores: number;
  /** Names of stages before it in the list, whose work it needs. */
  readonly after?: readonly string[];
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Tests that may be skipped elsewhere fail in these stages when their prerequisites are missing, and searches that try
 * a part elsewhere try all.
 */
const REQUIRE_ALL = {
  STINT_REQUIRE_KUBECTL: "1",
  STINT_REQUIRE_CHROMIUM: "1",
  STINT_REQUIRE_CLUSTER: "1",
  STINT_REQUIRE_BUBBLEWRAP: "1",
  STINT_REQUIRE_ALL_TRIES: "1",
};
/** Beside no other stage: it measures, or changes what others use. */
export const ALONE = Infinity;
/** The tests in a browser have a separate stage. */
const WITHOUT_BROWSER = { CHROMIUM: "none", STINT_REQUIRE_CHROMIUM: "" };

function npm(script: string, ...args: readonly string[]): readonly string[] {
  return args.length === 0 ? ["npm", "run", script] : ["npm", "run", script, "--", ...args];
}

function node(...args: readonly string[]): readonly string[] {
  return ["node_modules/.bin/node", ...args];
}

function shell(script: string): readonly string[] {
  return ["sh", "-c", script];
}

/** The stages that start programs of Kubernetes come after the one that builds them. */
const PROGRAMS = ["programs of Kubernetes"];
/** It writes what other bindings compare theirs with. */
const DIGESTS = ["digests of the vectors"];

const STAGES: readonly CiStage[] = [
  { name: "npm start, again", limitSeconds: 60, cores: ALONE, command: ["npm", "start"] },
  { name: "set-up of the tests", limitSeconds: 300, cores: ALONE, command: ["node", "scripts/setup.mjs"] },
  { name: "npm test", limitSeconds: 1200, cores: 1.75, command: ["npm", "test"] },
  {
    name: "Python binding, set-up",
    limitSeconds: 300,
    cores: 0.25,
    command: shell('python3 -m venv build/venv && build/venv/bin/pip install -q "./bindings/python[dev]"'),
  },
  { name: "long tests", limitSeconds: 900, cores: 1.6, command: npm("test:long") },
  {
    name: "tests on Docker and Podman",
    limitSeconds: 600,
    cores: 0.4,
    command: npm("test:engines"),
    env: { STINT_REQUIRE_ENGINES: "1" },
  },
  // The first run on a machine builds Kubernetes, and keeps it in the user's cache folder.
  {
    name: "programs of Kubernetes",
    limitSeconds: 3300,
    cores: 1,
    command: npm("test:cluster", "test/kubernetes/binaries"),
  },
  {
    name: "tests on a real API server",
    limitSeconds: 3000,
    cores: 0.7,
    after: PROGRAMS,
    command: npm("test:cluster", "--exclude", "test/kubernetes/{binaries,conformance,integration}/**"),
  },
  // With the red team, which attacks this machine from inside the sandbox.
  {
    name: "end-to-end tests",
    limitSeconds: 900,
    cores: 1,
    command: npm("test:e2e"),
    env: { ...WITHOUT_BROWSER, E2E_EXCLUDE: "test/{documents,site}/**" },
  },
  { name: "tests with Chromium", limitSeconds: 900, cores: 0.3, command: npm("test:e2e", "test/host-browser/browser") },
  // What documents and --help print, in shells that start hundreds of commands.
  { name: "documents", limitSeconds: 600, cores: 0.8, command: npm("test:e2e", "test/documents") },
  // The first run on a machine fetches the generator.
  { name: "site", limitSeconds: 600, cores: 0.4, command: npm("test:e2e", "test/site") },
  {
    name: "upstream's specs of Jobs",
    limitSeconds: 1800,
    cores: 0.3,
    after: PROGRAMS,
    command: npm("test:cluster", "test/kubernetes/conformance"),
  },
  {
    name: "upstream's integration tests",
    limitSeconds: 900,
    cores: 0.6,
    after: PROGRAMS,
    command: npm("test:cluster", "test/kubernetes/integration"),
  },
  {
    name: "parity with upstream's controller",
    limitSeconds: 1200,
    cores: 0.4,
    after: PROGRAMS,
    command: npm("parity"),
  },
  {
    name: "admission beside a real API server",
    limitSeconds: 300,
    cores: 0.6,
    after: PROGRAMS,
    command: npm("admission-corpus", "--seed", "1", "--count", "1500"),
  },
  {
    name: "parity of random Jobs",
    limitSeconds: 900,
    cores: 0.3,
    after: PROGRAMS,
    command: npm("parity", "--random", "40", "--seed", "1"),
  },
  {
    name: "shadow of random Jobs",
    limitSeconds: 600,
    cores: 0.3,
    after: PROGRAMS,
    command: npm("parity", "--shadow", "--random", "60", "--seed", "1"),
  },
  {
    name: "forecasts and upstream's controller",
    limitSeconds: 400,
    cores: 0.4,
    after: PROGRAMS,
    command: npm("forecast", "--upstream", "--count", "30"),
  },
  // Jobs must stay within their forecasts, under upstream's controller too.
  { name: "forecasts", limitSeconds: 400, cores: 1, command: npm("forecast", "--random", "2", "--count", "300") },
  // In Node, a bundle, Chromium, Deno and Bun. The first run on a machine fetches the last two.
  { name: "JavaScript package", limitSeconds: 600, cores: 0.6, command: npm("test:package") },
  // Every binding plays every vector on the same module, and asks for the same bytes.
  { name: "digests of the vectors", limitSeconds: 120, cores: 1, command: node("scripts/vector-digests.ts") },
  {
    name: "Go sources",
    limitSeconds: 120,
    cores: 1,
    command: shell(
      "gofmt -d bindings examples test >build/go; cat build/go; test ! -s build/go && go vet -C bindings/go ./...",
    ),
  },
  // actionlint, and mistakes that it must find.
  {
    name: "workflows",
    limitSeconds: 180,
    cores: 1,
    command: ["go", "test", "-C", "test/workflows", "-count=1", "./..."],
  },
  {
    name: "Go binding",
    limitSeconds: 600,
    cores: 1,
    after: DIGESTS,
    command: ["go", "test", "-C", "bindings/go", "-count=1", "./..."],
  },
  // The controller and the webhook run in many goroutines.
  {
    name: "Go binding, race detector",
    limitSeconds: 300,
    cores: 1,
    command: ["go", "test", "-C", "bindings/go", "-race", "-count=1", "./controller", "./admission"],
    env: { CGO_ENABLED: "1" },
  },
  {
    name: "Go examples",
    limitSeconds: 300,
    cores: 1,
    command: shell("go test -C examples/go/controller -count=1 ./... && go test -C examples/go/webhook -count=1 ./..."),
  },
  // Clusters for go test, and the projects that use them.
  {
    name: "Go tests of Jobs",
    limitSeconds: 400,
    cores: 0.5,
    command: shell(
      'export STINT_COMMAND="$PWD/node_modules/.bin/node $PWD/dist/stint.mjs"; ' +
        "for module in bindings/go/stinttest examples/testing/go examples/testing/operator; " +
        "do go vet -C $module ./... && go test -C $module -count=1 ./... || exit 1; done",
    ),
  },
  {
    name: "Python binding",
    limitSeconds: 300,
    cores: 0.8,
    after: ["Python binding, set-up", ...DIGESTS],
    command: ["build/venv/bin/pytest", "-q", "bindings/python"],
  },
  {
    name: "Rust host",
    limitSeconds: 600,
    cores: 1,
    after: DIGESTS,
    command: ["sh", "examples/rust-host/test.sh"],
  },
  {
    name: "simulation",
    limitSeconds: 400,
    cores: 1,
    command: npm("simulate", "--seed", "100000", "--count", "1700", "--jobs", "1"),
  },
  {
    name: "fuzz",
    limitSeconds: 420,
    cores: 1,
    command: npm("fuzz", "--inputs", "200000", "--requests", "2000", "--connections", "400"),
  },
  { name: "kills of stint serve", limitSeconds: 420, cores: 1, command: npm("durability", "--kills", "20") },
  // Every artefact, installed in an empty folder.
  { name: "release, dry run", limitSeconds: 900, cores: 1, command: npm("release", "--dry-run") },
  { name: "100,000 pods at once", limitSeconds: 300, cores: ALONE, command: node("test/scale/main.ts") },
  { name: "benchmark, quick", limitSeconds: 240, cores: ALONE, command: npm("bench", "--quick") },
  // It also checks the answer to each kind of review.
  {
    name: "benchmark of the webhook, quick",
    limitSeconds: 120,
    cores: ALONE,
    command: npm("bench:webhook", "--quick"),
  },
  {
    name: "benchmark of stint serve, quick",
    limitSeconds: 300,
    cores: ALONE,
    after: PROGRAMS,
    command: npm("bench:serve", "--quick"),
  },
];

/** Which stages this machine can run. */
export interface Machine {
  /** Only root can start container engines for the tests. */
  readonly isRoot: boolean;
  /** File modes decide who may write to version 1 of control groups; version 2 often refuses even root. */
  readonly hasControlGroups: boolean;
}

export function thisMachine(): Machine {
  const isWritable = (path: string): boolean => {
    try {
      accessSync(path, constants.W_OK);
      return true;
    } catch {
      return false;
    }
  };
  const hasControlGroups = ["cpu", "memory"].every((name) => isWritable(`/sys/fs/cgroup/${name}/cgroup.procs`));
  return { isRoot: process.getuid?.() === 0, hasControlGroups };
}

/** The stages with their whole environment. */
export function stagesOn({ isRoot, hasControlGroups }: Machine): readonly CiStage[] {
  const always = { ...REQUIRE_ALL, ...(hasControlGroups && { STINT_REQUIRE_CONTROL_GROUPS: "1" }) };
  return STAGES.filter(({ env = {} }) => isRoot || !("STINT_REQUIRE_ENGINES" in env)).map((stage) => ({
    ...stage,
    env: { ...always, ...stage.env },
  }));
}
