/**
 * The kubeconfig that lets kubectl talk to the server, a file that holds its token.
 *
 * Invariant: only this user can read it, it never replaces a file, and only the very file that was written here is
 * removed again.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, unlinkSync, writeSync } from "node:fs";
import { stringify } from "yaml";
import { UsageError, writeProblem } from "../usage-error.ts";

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
    clusters: [{ name: "stint", cluster: { server, "certificate-authority-data": Buffer.from(authority).toString("base64") } }],
    users: [{ name: "stint", user: { token } }],
    contexts: [{ name: "stint", context: { cluster: "stint", user: "stint", namespace: "default" } }],
    "current-context": "stint",
  });
}

/** Writes a new file with mode 0600 and returns what removes it, and tells whether it was there to remove. @throws UsageError when the path is taken or cannot be written. */
export function writeKubeconfig(path: string, content: KubeconfigContent): () => boolean {
  let file: number;
  try {
    // Exclusive creation also refuses a symbolic link, wherever that leads.
    file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  } catch (error) {
    throw new UsageError(
      (error as NodeJS.ErrnoException).code === "EEXIST"
        ? `${path} exists already and is not overwritten; remove it, or name another file with --kubeconfig`
        : `cannot write the kubeconfig ${path}: ${writeProblem(error)}`,
    );
  }
  try {
    writeSync(file, kubeconfigText(content));
    const { dev, ino } = fstatSync(file);
    return () => removeIfSame(path, dev, ino);
  } finally {
    closeSync(file);
  }
}

function removeIfSame(path: string, dev: number, ino: number): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  const isSame = found?.dev === dev && found.ino === ino;
  if (isSame) unlinkSync(path);
  return isSame;
}
