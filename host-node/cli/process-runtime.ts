/** Creates the runtime of local processes from the options of a command and from what this machine can do. */
import { tmpdir } from "node:os";
import { ProcessRuntime, type ProcessRuntimeOptions } from "../runtime/process-runtime.ts";
import { MachineError, writeProblem } from "../usage-error.ts";
import { type IsolationOptions, isolationOf } from "./isolation.ts";

/** @throws UsageError when isolation is wanted but impossible, MachineError when no temporary folder can be made */
export function createProcessRuntime(
  options: IsolationOptions,
  workingDirectory: string,
  more: Pick<ProcessRuntimeOptions, "isInteractive" | "findClaimed" | "volumeFolder" | "hasServiceNames"> = {},
): ProcessRuntime {
  const isolation = isolationOf(options, workingDirectory);
  try {
    return new ProcessRuntime({ ...isolation, ...more });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall !== "mkdtemp") throw error;
    throw new MachineError(
      `cannot make a temporary folder in ${tmpdir()}: ${writeProblem(error)}.\nName one that can be written to in $TMPDIR.`,
    );
  }
}
