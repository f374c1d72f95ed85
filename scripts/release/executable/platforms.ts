/** For which platforms the single executable is made, and how. */
import { join } from "node:path";

export const PLATFORMS = ["linux-x64", "linux-arm64"] as const;
export type Platform = (typeof PLATFORMS)[number];

export const isPlatform = (text: string): text is Platform => (PLATFORMS as readonly string[]).includes(text);

/** Of this machine. Undefined: no executable is made for it. */
export function ownPlatform(): Platform | undefined {
  const own = `${process.platform}-${process.arch}`;
  return isPlatform(own) ? own : undefined;
}

export const executableName = (platform: Platform): string => `stint-${platform}`;

/** The arguments of Node. @param folder is made and removed @param out the file */
export const makeExecutableArgs = (platform: Platform, folder: string, out: string): readonly string[] => [
  join(import.meta.dirname, "make.ts"),
  "--platform",
  platform,
  "--folder",
  folder,
  "--out",
  out,
];
