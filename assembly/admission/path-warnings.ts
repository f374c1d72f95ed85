/**
 * Warnings about files of one volume that lie at the same path, or one below the other. Invariant: at most MAX_WARNINGS
 * pairs are reported, and paths of at most MAX_PATHS files of a volume are compared, each with each. Source:
 * pkg/api/pod/warnings.go warningsForOverlappingVirtualPaths.
 */
import { after, JsonNode, listOf } from "../json/tree";
import { PodFacts } from "./pod-facts";
import { quote } from "./render";
import { Warnings } from "./warning-list";

/** The most files of a volume whose paths are compared. Further ones are left out. */
export const MAX_PATHS: i32 = 512;

/** The files of one volume so far. */
class Paths {
  paths: string[] = [];
  /** What each is, as a warning calls it: with its source, where a volume has several. */
  shown: string[] = [];
  start: string;

  constructor(volume: JsonNode, what: string) {
    this.start = "volume " + quote(volume.string("name")) + " (" + what + "): overlapping paths: ";
  }

  add(given: string, source: string, warnings: Warnings): void {
    if (this.paths.length >= MAX_PATHS) return;
    let end = given.length;
    while (end > 0 && given.charCodeAt(end - 1) == 0x2f) end--;
    const path = given.substring(0, end);
    const shown = quote(path) + (source.length > 0 ? " (" + source + ")" : "");
    for (let i = 0; i < this.paths.length && path.length > 0 && !warnings.full; i++) {
      const other = this.paths[i];
      if (other.length == 0 || !(lies(path, other) || lies(other, path))) continue;
      warnings.add(this.start + shown + " with " + this.shown[i]);
    }
    this.paths.push(path);
    this.shown.push(shown);
  }

  addAll(items: JsonNode | null, source: string, warnings: Warnings): void {
    if (items === null) return;
    for (let item = items.first; item !== null && !warnings.full; item = after(item))
      this.add(item.string("path"), source, warnings);
  }
}

// Whether a path is another, or below it.
function lies(path: string, above: string): bool {
  return (path + "/").startsWith(above + "/");
}

/** Warns of such files in the volumes of a pod, and of a projected volume whose source is none. */
export function warnAboutPaths(pod: PodFacts, warnings: Warnings): void {
  const volumes = pod.spec.list("volumes");
  if (volumes === null) return;
  for (let volume = volumes.first; volume !== null && !warnings.full; volume = after(volume)) {
    const configMap = volume.object("configMap");
    if (configMap !== null) warnOf(volume, configMap, named("ConfigMap", configMap, "name"), warnings);
    const secret = volume.object("secret");
    if (secret !== null) warnOf(volume, secret, named("Secret", secret, "secretName"), warnings);
    const downward = volume.object("downwardAPI");
    if (downward !== null) warnOf(volume, downward, "DownwardAPI", warnings);
    const projected = volume.object("projected");
    const sources = listOf(projected, "sources");
    if (sources !== null) warnOfSources(volume, sources, warnings);
  }
}

function warnOf(volume: JsonNode, source: JsonNode, what: string, warnings: Warnings): void {
  new Paths(volume, what).addAll(source.list("items"), "", warnings);
}

function named(kind: string, source: JsonNode, key: string): string {
  return kind + " " + quote(source.string(key));
}

function warnOfSources(volume: JsonNode, sources: JsonNode, warnings: Warnings): void {
  const paths = new Paths(volume, "Projected");
  for (let source = sources.first; source !== null && !warnings.full; source = after(source)) {
    const configMap = source.object("configMap");
    const secret = source.object("secret");
    const downward = source.object("downwardAPI");
    const token = source.object("serviceAccountToken");
    if (configMap === null && secret === null && downward === null && token === null)
      warnings.add("volume " + quote(volume.string("name")) + " (Projected) has no sources provided");
    else if (configMap !== null && configMap.has("items"))
      paths.addAll(configMap.list("items"), named("ConfigMap", configMap, "name"), warnings);
    else if (secret !== null && secret.has("items"))
      paths.addAll(secret.list("items"), named("Secret", secret, "name"), warnings);
    else if (downward !== null && downward.has("items")) paths.addAll(downward.list("items"), "DownwardAPI", warnings);
    else if (token !== null) paths.add(token.string("path"), "ServiceAccountToken", warnings);
  }
}
