/** The runtime of local processes, as the options of a command ask for it and as this machine allows. */
import { tmpdir } from "node:os";
import { ProcessRuntime } from "../runtime/process-runtime.ts";
import { MachineError, writeProblem } from "../usage-error.ts";
import { type IsolationOptions, isolationOf } from "./isolation.ts";

/**
 * @throws UsageError when isolation is wanted and impossible, MachineError when there is no temporary folder to work in
 */
export function createProcessRuntime(options: IsolationOptions, workingDirectory: string): ProcessRuntime {
  const isolation = isolationOf(options, workingDirectory);
  try {
    return new ProcessRuntime(isolation);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall !== "mkdtemp") throw error;
    throw new MachineError(
      `cannot make a temporary folder in ${tmpdir()}: ${writeProblem(error)}.\nName one that can be written to in $TMPDIR.`,
    );
  }
}
