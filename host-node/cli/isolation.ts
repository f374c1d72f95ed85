/** How local processes are kept apart from this machine, as the command line asks for it and as this machine allows. */
import { detectBubblewrap } from "../runtime/bubblewrap.ts";
import type { ProcessRuntimeOptions } from "../runtime/process-runtime.ts";
import { UsageError } from "../usage-error.ts";

export interface IsolationOptions {
  /** False: --no-isolation. */
  readonly isolation: boolean;
  readonly network: boolean;
}

/** For the runtimes that run no command. @throws UsageError for options that would mean nothing then */
export function refuseIsolationOptions({ isolation, network }: IsolationOptions, runtime: string): void {
  const given = !isolation ? "--no-isolation" : network ? "--network" : undefined;
  if (given !== undefined) throw new UsageError(`${given} is given with --runtime ${runtime}, which runs no command; it is for --runtime process`);
}

/** @throws UsageError when isolation is wanted and impossible: what is wrong, and what can be done. */
export function isolationOf({ isolation, network }: IsolationOptions): Pick<ProcessRuntimeOptions, "isolation" | "network"> {
  if (!isolation) return { isolation: "none", network: true };
  const bubblewrap = detectBubblewrap();
  if ("path" in bubblewrap) return { isolation: { bubblewrap: bubblewrap.path }, network };
  throw new UsageError(
    [
      `${bubblewrap.problem}.`,
      "The process runtime runs the commands of a Job inside it, with your files read-only and without network.",
      "Either install it (Debian, Ubuntu: apt install bubblewrap; Fedora: dnf install bubblewrap; Arch: pacman -S bubblewrap),",
      "or pass --no-isolation to run the commands with all your rights, if you trust them,",
      "or pass --runtime simulated to run no command at all.",
    ].join("\n"),
  );
}
