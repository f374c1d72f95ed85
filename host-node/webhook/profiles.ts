/**
 * The profiles of a folder: a file `NAME.yaml` each, as a ConfigMap is mounted. They are replaced while the webhook
 * runs.
 *
 * Invariant: each loaded profile is valid. If one file of the folder cannot be used, all profiles stay as they were.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { readInput } from "../manifests/read-input.ts";
import { checkFoundFile } from "../found-file.ts";
import type { Log } from "../log.ts";
import { readProblem, UsageError } from "../usage-error.ts";
import { Kept } from "./kept.ts";
import { type Profile, readProfile } from "./profile.ts";

/** Their names are labels of metrics. */
export const MAX_PROFILES = 64;
const FILE = /^([a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?)\.ya?ml$/;

type ByName = ReadonlyMap<string, Profile>;

export interface ProfilesOptions {
  /** Undefined: there are none. */
  readonly folder: string | undefined;
  readonly log: Log;
}

export class Profiles extends Kept<ByName> {
  /** @throws UsageError when the folder or a file in it cannot be used */
  constructor({ folder, log }: ProfilesOptions) {
    super({
      read: () => (folder === undefined ? new Map() : readProfiles(folder)),
      isSame: (a, b) => a.size === b.size && [...a].every(([name, { text }]) => b.get(name)?.text === text),
      onChanged: (next) => log.info({ folder, profiles: [...next.keys()] }, "the profiles have changed"),
      onRefused: (problem) => log.warn({ problem }, "the profiles cannot be used: the old ones stay in use"),
    });
  }
}

function readProfiles(folder: string): ByName {
  const found = new Map<string, Profile>();
  for (const file of filesOf(folder)) {
    const path = join(folder, file);
    const [, name] = FILE.exec(file) ?? [];
    if (name === undefined)
      throw new UsageError(
        `${path} is no profile; allowed is NAME.yaml, the name of at most 63 lower-case letters, digits and dashes`,
      );
    if (found.has(name)) throw new UsageError(`${path} is a second profile ${name}; allowed is one`);
    checkFoundFile(path);
    const { text } = readInput(path);
    if (text.trim() === "")
      throw new UsageError(`${path} is empty, as a file is that is being written; write {} for one without settings`);
    found.set(name, readProfile(name, path, text));
  }
  if (found.size === 0) throw new UsageError(`${folder} has no profile; allowed are files NAME.yaml`);
  if (found.size > MAX_PROFILES)
    throw new UsageError(`${folder} has ${found.size} profiles; allowed are at most ${MAX_PROFILES}`);
  return found;
}

/** Names that begin with a dot are left out: in a mounted ConfigMap the kubelet has its own folders beside the keys. */
function filesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith("."))
      .sort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const problem = code === "ENOTDIR" ? "it is a file; name the folder with profiles" : readProblem(error);
    throw new UsageError(`cannot read the profiles in ${folder}: ${problem}`);
  }
}
