/**
 * The program that has upstream's integration tests of the Job controller, which start `stint controller` in its place:
 * which there are, and one of them.
 *
 * Each test starts an API server as a part of its program; etcd is the same for all. Leaves out how the
 * controller is put in place: ../binaries/integration/stint_test.go.
 */
import { mkdirSync } from "node:fs";
import { BUNDLE } from "../../host-node/serving.ts";
import { findOrBuild, pinnedVersion } from "../binaries/binaries.ts";
import { startEtcd } from "../control-plane.ts";
import { ProcessGroup, type Running } from "../processes.ts";
import type { Test } from "./tests.ts";

/** The program ends itself after that, and says where it was. */
const TEST_TIMEOUT = "4m";
/** Of what a failed test says. */
const MAX_SAID_CHARACTERS = 12_000;

export class JobIntegration {
  readonly #processes: ProcessGroup;
  readonly #program: string;
  readonly #env: Readonly<Record<string, string>>;

  private constructor(processes: ProcessGroup, program: string, env: Readonly<Record<string, string>>) {
    this.#processes = processes;
    this.#program = program;
    this.#env = env;
  }

  /** Builds what is missing, and starts etcd. */
  static async start(): Promise<JobIntegration> {
    const [program, etcd] = [await findOrBuild("job-integration"), await findOrBuild("etcd")];
    const processes = new ProcessGroup("stint-job-integration-");
    try {
      const env = {
        STINT_COMMAND: JSON.stringify([process.execPath, BUNDLE]),
        KUBE_INTEGRATION_ETCD_URL: await startEtcd(processes, etcd),
        ...certificates(processes),
      };
      return new JobIntegration(processes, program, env);
    } catch (error) {
      await processes.stop();
      throw error;
    }
  }

  /** The names of all tests and benchmarks that the program has. */
  async testNames(): Promise<string[]> {
    const { log } = await this.#run(["-test.list=."]);
    return log()
      .split("\n")
      .filter((line) => /^(Test|Benchmark|Fuzz|Example)\w*$/.test(line));
  }

  /** Runs a test. @returns what it said if it failed, or did not run; undefined: it passed */
  async failureOf({ name, env }: Test): Promise<string | undefined> {
    const running = await this.#run(["-test.v", `-test.timeout=${TEST_TIMEOUT}`, `-test.run=^${name}$`], env);
    const [said, end] = [running.log(), await running.ended];
    const hasPassed = end === "status 0" && said.includes(`\n--- PASS: ${name} (`);
    return hasPassed ? undefined : `${end}: ${withoutServerLog(said)}`;
  }

  /** Ends etcd, and whatever else runs. */
  stop(): Promise<void> {
    return this.#processes.stop();
  }

  async #run(args: readonly string[], env: Test["env"] = {}): Promise<Running> {
    const all = { ...this.#env, ...env };
    const running = await this.#processes.start("job-integration", this.#program, args, all);
    await running.ended;
    return running;
  }
}

/**
 * The servers look for their certificate beside their own sources, which a program with trimmed paths does not know.
 * Upstream lets Bazel name the folder above. The first server writes the certificate there, and the others read it.
 */
function certificates(processes: ProcessGroup): Record<string, string> {
  const sources = `k8s.io/kubernetes@${pinnedVersion("job-integration")}/cmd/kube-apiserver/app/testing`;
  mkdirSync(processes.path(`certificates/${sources}/testdata`), { recursive: true });
  return { TEST_SRCDIR: processes.directory, TEST_WORKSPACE: "certificates" };
}

/** The end of what a test said. */
function withoutServerLog(said: string): string {
  const lines = said.split("\n").filter((line) => !/^(?: *\w+\.go:\d+: )?[IWE]\d{4} \d\d:/.test(line));
  return lines.join("\n").slice(-MAX_SAID_CHARACTERS);
}
