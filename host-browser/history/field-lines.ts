/** Finds the lines of a Job's fields in the manifest of the run. The manifest is parsed lazily, on first use. */
import { type Manifest, parseManifests } from "../../cluster/manifests/manifests.ts";
import type { YamlReader } from "../../cluster/yaml/yaml-tree.ts";
import { parseFieldPath } from "../../cluster/manifests/field-path.ts";
import type { Job } from "../../cluster/values/kinds.ts";

/** A manifest, and its parser. */
export interface FieldSource {
  readonly yaml: string;
  readonly readYaml: YamlReader;
}

/** A field of the manifest: `spec.backoffLimit`, with its line if it has one. */
export interface FieldLine {
  readonly path: string;
  readonly line?: number;
}

const known = new WeakMap<FieldSource, FieldLines>();

/** The same for the same manifest. */
export function fieldLinesOf(source: FieldSource): FieldLines {
  let lines = known.get(source);
  if (lines === undefined) {
    lines = new FieldLines(source.yaml, source.readYaml);
    known.set(source, lines);
  }
  return lines;
}

class FieldLines {
  readonly #yaml: string;
  readonly #readYaml: YamlReader;
  #jobs: readonly Manifest[] | undefined;

  constructor(yaml: string, readYaml: YamlReader) {
    this.#yaml = yaml;
    this.#readYaml = readYaml;
  }

  /**
   * The fields that the Job has, with their lines; a default has none.
   * @param job undefined: the Job is deleted; then the fields of the manifest
   */
  of(namespace: string, name: string, job: Job | undefined, paths: readonly string[]): readonly FieldLine[] {
    const manifest = this.#find(namespace, name);
    return paths.flatMap((path) => {
      const line = manifest !== undefined && has(manifest.object, path) ? manifest.nameAt(path).line : undefined;
      if (line !== undefined) return [{ path, line }];
      return job !== undefined && has(job, path) ? [{ path }] : [];
    });
  }

  #find(namespace: string, name: string): Manifest | undefined {
    this.#jobs ??= parseManifests({ file: "manifest", text: this.#yaml }, this.#readYaml).manifests.filter(
      ({ object }) => object.kind === "Job",
    );
    return this.#jobs.find(({ object: { metadata = {} } }) => {
      if ((metadata.namespace ?? "default") !== namespace) return false;
      return metadata.name === name || (metadata.name === undefined && isMadeFrom(name, metadata.generateName));
    });
  }
}

function isMadeFrom(name: string, prefix: string | undefined): boolean {
  return prefix !== undefined && name.startsWith(prefix);
}

function has(object: object, path: string): boolean {
  let value: unknown = object;
  for (const segment of parseFieldPath(path)) {
    if (typeof value !== "object" || value === null) return false;
    value = (value as Record<string | number, unknown>)[segment];
  }
  return value !== undefined && value !== null;
}
