/** The real command `stint controller` as a process, and what it logs. */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { POLL_INTERVAL_MS } from "./replica-requests.ts";

export class ReplicaProcess {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<number | null>;
  out = "";
  errors = "";

  constructor(child: ChildProcessWithoutNullStreams) {
    this.child = child;
    this.ended = new Promise((resolve) => child.once("close", resolve));
    child.stdout.on("data", (chunk: Buffer) => (this.out += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (this.errors += chunk.toString()));
  }

  /** What it has logged so far. */
  get log(): Record<string, any>[] {
    return this.out
      .slice(0, this.out.lastIndexOf("\n") + 1)
      .trim()
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  }

  get leads(): boolean {
    return this.log.some(({ msg }) => msg === "leads");
  }

  /** @throws Error with what it said, when it ended before */
  async hasLogged(holds: (line: Record<string, any>) => boolean): Promise<Record<string, any>> {
    for (;;) {
      const found = this.log.find(holds);
      if (found !== undefined) return found;
      if (this.child.exitCode !== null || this.child.signalCode !== null)
        throw new Error(`it ended with ${this.child.exitCode ?? this.child.signalCode}: ${this.out}${this.errors}`);
      await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
    }
  }
}
