/**
 * The kubeconfig that a command finds in the current folder, without being given its path. It is used only in the form
 * that `stint serve` on this machine writes: kubeconfig-form.ts.
 */
import { readOwnFile } from "../own-file.ts";
import { UsageError } from "../usage-error.ts";
import { formProblem, MAX_KUBECONFIG_BYTES } from "./kubeconfig-form.ts";

/** The text of a found file. @param shown its path for people. @throws UsageError when it is not used */
export function readFoundKubeconfig(path: string, shown: string, user?: number): string {
  const file = readOwnFile(path, MAX_KUBECONFIG_BYTES, user);
  const problem = "problem" in file ? file.problem : formProblem(file);
  if (problem !== undefined || "problem" in file)
    throw new UsageError(
      [
        `${shown} is not taken: ${problem}. A kubeconfig that is found and not named is taken only as \`stint serve\` writes it.`,
        `If that file is meant, name it: --kubeconfig ${shown}. If not, name another, such as --kubeconfig ~/.kube/config, or remove it.`,
      ].join("\n"),
    );
  return file.text;
}
