/**
 * Checks before anything runs whether local processes can run the commands of a Job. A missing command would fail the
 * Job only after all its retries.
 *
 * Leaves out commands that the run itself may make available: those in a volume, or named by a variable.
 */
import { dirname } from "node:path";
import type { Diagnostic } from "../../../cluster/manifests/diagnostic.ts";
import type { Manifest } from "../../../cluster/manifests/manifests.ts";
import { commandLine, DEFAULT_PATH, findExecutable } from "../../runtime/command.ts";
import type { ProcessRuntime } from "../../runtime/process-runtime.ts";
import { shellWord } from "../../words/shell-word.ts";

const NO_COMMAND_HINT = "add command, or run the image with --runtime docker or podman, or nothing with simulated";

type Finder = Pick<ProcessRuntime, "findCommand">;

/** @param ownPath the PATH of the user's shell */
export function commandDiagnostics(manifest: Manifest, runtime: Finder, ownPath: string): Diagnostic[] {
  const spec = manifest.object["spec"].template.spec as Record<string, any>;
  return ["initContainers", "containers"].flatMap((list) =>
    ((spec[list] ?? []) as Record<string, any>[]).flatMap((container, i): Diagnostic[] => {
      const path = `spec.template.spec.${list}[${i}]`;
      const command = commandLine(container as { name: string });
      if ("error" in command)
        return [{ position: manifest.valueAt(path), message: `${path}.command: ${command.error}; ${NO_COMMAND_HINT}` }];
      const file = command.argv[0]!;
      const pathVariable = valueOf(container, "PATH");
      if (mayAppear(container, file) || mayAppear(container, pathVariable ?? DEFAULT_PATH)) return [];
      const found = runtime.findCommand(file, pathVariable, container["workingDir"]);
      if ("path" in found) return [];
      const place = `${path}.command[0]`;
      const hint =
        found.hidden === undefined
          ? pathHint(file, pathVariable !== undefined, runtime, ownPath)
          : hiddenHint(found.hidden);
      return [
        { position: manifest.valueAt(place), message: `${place}: ${found.error}${hint === "" ? "" : ` (${hint})`}` },
      ];
    }),
  );
}

/** What to do about a command that is not in the $PATH of a container. */
function pathHint(file: string, isPathSet: boolean, runtime: Finder, ownPath: string): string {
  if (file.includes("/")) return "";
  const own = findExecutable(file, ownPath, "/");
  if ("path" in own) {
    const option = "path" in runtime.findCommand(own.path) ? "" : `, with --visible ${folderWord(own.path)}`;
    return `your $PATH has it, that of containers has not: name it ${own.path}${option}`;
  }
  return isPathSet
    ? "the container sets $PATH itself"
    : "containers look in the folders of the system, such as /usr/bin";
}

function hiddenHint(hidden: string): string {
  return `containers do not see ${hidden}; --visible ${folderWord(hidden)} shows its folder to them`;
}

function folderWord(path: string): string {
  return shellWord(dirname(path));
}

/** Whether a path depends on a variable or lies in a volume. */
function mayAppear(container: Readonly<Record<string, any>>, path: string): boolean {
  const mounts = (container["volumeMounts"] ?? []) as { mountPath: string }[];
  return (
    path.includes("$(") ||
    path
      .split(":")
      .some((part) => mounts.some(({ mountPath }) => part === mountPath || part.startsWith(`${mountPath}/`)))
  );
}

/** The value of a variable. Undefined: it is not set. A value that is known only later is returned as a reference. */
function valueOf(container: Readonly<Record<string, any>>, name: string): string | undefined {
  const entry = ((container["env"] ?? []) as { name: string; value?: string; valueFrom?: object }[]).findLast(
    (variable) => variable.name === name,
  );
  return entry?.valueFrom === undefined ? entry?.value : "$()";
}
