/** Data folders for tests: new ones, and what a killed server leaves. */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import { DataFolder, type DataFolderOptions } from "../../../host-node/data/data-folder.ts";

const made: string[] = [];
const opened: DataFolder[] = [];
afterEach(() => {
  for (const folder of opened.splice(0)) folder.close();
  for (const path of made.splice(0)) rmSync(path, { recursive: true });
});

/** The path of a folder that is not there. It is removed after the test. */
export function newPath(): string {
  const parent = mkdtempSync(join(tmpdir(), "stint-data-"));
  made.push(parent);
  return join(parent, "data");
}

/** What is on the disk now, as a process finds it that starts after this one was killed. */
export function killed(path: string): string {
  const copy = newPath();
  cpSync(path, copy, { recursive: true });
  return copy;
}

export async function openFolder(path: string, options: Partial<DataFolderOptions> = {}): Promise<DataFolder> {
  const onFailure = (error: Error): never => {
    throw error;
  };
  const folder = await DataFolder.open(path, { nowMs: Date.UTC(2026, 0, 1), onFailure, ...options });
  opened.push(folder);
  return folder;
}
