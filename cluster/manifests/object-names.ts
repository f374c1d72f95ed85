/** Objects of the input in a sentence: the kinds and names of the first, and how many there are besides. */
import type { Manifest } from "./manifests.ts";

const MAX_NAMED = 10;

/** `Service web, Deployment web and 3 more` @param tell returns the text for one; its kind and name unless given */
export function objectNames(
  manifests: readonly Manifest[],
  tell = (_: Manifest, name: string): string => name,
): string {
  const names = manifests
    .slice(0, MAX_NAMED)
    .map((manifest) => tell(manifest, `${manifest.object.kind} ${manifest.object.metadata?.name ?? ""}`.trim()));
  const more = manifests.length > MAX_NAMED ? ` and ${manifests.length - MAX_NAMED} more` : "";
  return `${names.join(", ")}${more}`;
}
