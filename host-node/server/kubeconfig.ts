/**
 * The kubeconfig that lets kubectl talk to the server, a file that holds its token.
 *
 * Invariant: only this user can read it, it never replaces a file, and only the very file that was written here is
 * removed again. A server that is killed leaves its file behind. The file has a mark, by which abandoned-kubeconfig.ts
 * recognizes and removes it. What is written here belongs to kubeconfig-form.ts, too.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, unlinkSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { stringify } from "yaml";
import { readOwnFile } from "../own-file.ts";
import { UsageError, writeError } from "../usage-error.ts";
import { formProblem, MARK, MAX_KUBECONFIG_BYTES } from "./kubeconfig-form.ts";

export interface KubeconfigContent {
  /** `https://127.0.0.1:6443`. */
  readonly server: string;
  /** PEM. */
  readonly authority: string;
  readonly token: string;
}

export function kubeconfigText({ server, authority, token }: KubeconfigContent): string {
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name: "stint",
        cluster: {
          server,
          "certificate-authority-data": Buffer.from(authority).toString("base64"),
          extensions: [{ name: MARK, extension: { host: hostname(), pid: process.pid } }],
        },
      },
    ],
    users: [{ name: "stint", user: { token } }],
    contexts: [{ name: "stint", context: { cluster: "stint", user: "stint", namespace: "default" } }],
    "current-context": "stint",
  });
}

/**
 * Writes a new file with mode 0600. Returns a function that removes it, and returns whether the file still existed.
 * @throws UsageError when the path is taken or cannot be written, MachineError when the disk is full.
 */
export function writeKubeconfig(path: string, content: KubeconfigContent): () => boolean {
  let file: number;
  try {
    // Exclusive creation also refuses a symbolic link, wherever that leads.
    file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST")
      throw writeError(`cannot write the kubeconfig ${path}`, error);
    throw new UsageError(
      `${path} exists already and is not overwritten; remove it, or name another file with --kubeconfig`,
    );
  }
  const { dev, ino } = fstatSync(file);
  const remove = (): boolean => removeIfSame(path, dev, ino);
  try {
    writeFileSync(file, kubeconfigText(content));
    return remove;
  } catch (error) {
    remove();
    throw writeError(`cannot write the kubeconfig ${path}`, error);
  } finally {
    closeSync(file);
  }
}

function removeIfSame(path: string, dev: number, ino: number): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.dev !== dev || found.ino !== ino) return false;
  // The user may have added another cluster meanwhile.
  const file = readOwnFile(path, MAX_KUBECONFIG_BYTES);
  const isOurs = !("problem" in file) && (file.text === "" || formProblem(file) === undefined);
  if (isOurs) unlinkSync(path);
  return isOurs;
}
