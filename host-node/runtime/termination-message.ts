/**
 * The termination message of a container, from the file that the container wrote. Only the beginning of a long file is
 * read.
 */
import { open } from "node:fs/promises";
import type { ContainerExit } from "../../cluster/kubelet/container-runtime.ts";

/** The kubelet's limit. */
const MAX_BYTES = 4096;

/** @param file undefined: the container has none */
export async function withTerminationMessage(exit: ContainerExit, file: string | undefined): Promise<ContainerExit> {
  if (file === undefined) return exit;
  try {
    const message = await readStart(file);
    return message === "" ? exit : { ...exit, message };
  } catch {
    return exit; // Removed with its pod meanwhile.
  }
}

async function readStart(file: string): Promise<string> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_BYTES));
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await handle.close();
  }
}
