/** The files and folders by which the kernel shows control groups. Tests have others. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";

export interface GroupFiles {
  has(path: string): boolean;
  /** Empty if it cannot be read. */
  read(path: string): string;
  /** @throws Error with the kernel's code */
  write(path: string, text: string): void;
  /** Names of the folders in this one. @throws Error if it cannot be read */
  folders(path: string): string[];
  /** @throws Error with the kernel's code */
  makeFolder(path: string): void;
  /** @throws Error with the kernel's code: EBUSY while processes are in this group */
  removeFolder(path: string): void;
}

export const KERNEL_FILES: GroupFiles = {
  has: existsSync,
  read(path) {
    try {
      return readFileSync(path, "latin1");
    } catch {
      return "";
    }
  },
  write: (path, text) => writeFileSync(path, text),
  folders: (path) =>
    readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name),
  makeFolder: (path) => mkdirSync(path),
  removeFolder: rmdirSync,
};
