/** Whether the run that the page made from an address is the one that was shared. */
import type { SharedState } from "./address.ts";

/** The sentence for the page; undefined: it is the same run, or nothing was shared to compare with. */
export function differenceOfRuns(
  shared: Pick<SharedState, "engineVersion" | "digest">,
  now: { readonly engineVersion: string; readonly digest: string },
): string | undefined {
  if (shared.digest === "" || now.digest === shared.digest) return undefined;
  const why =
    shared.engineVersion === now.engineVersion
      ? `both are of engine ${now.engineVersion}, so the lesson or the page has changed`
      : `it was made by engine ${shared.engineVersion}, and this page has ${now.engineVersion}`;
  return `This run differs from the one that was shared: ${why}.`;
}
