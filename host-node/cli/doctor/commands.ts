/**
 * The commands that fix what was found. Each is one line for a POSIX shell; the words that come from objects are
 * quoted.
 *
 * Invariant: a JSON patch first tests what it changes, so it does nothing to an object that has changed since.
 */
import type { TypedObject } from "../../../cluster/values/types.ts";
import { shellWord } from "../../words/shell-word.ts";

export class Commands {
  readonly #options: readonly string[];

  /** @param options words that choose the cluster: `--context`, `prod` */
  constructor(options: readonly string[]) {
    this.#options = options;
  }

  /** `kubectl WORDS…`, in a namespace unless that is undefined. */
  kubectl(namespace: string | undefined, ...words: readonly string[]): string {
    const place = namespace === undefined ? [] : ["-n", namespace];
    return ["kubectl", ...this.#options, ...place, ...words].map(shellWord).join(" ");
  }

  /** Changes members of an object by a merge patch. */
  merge(
    kind: string,
    namespace: string | undefined,
    name: string,
    change: object,
    ...words: readonly string[]
  ): string {
    return this.kubectl(namespace, "patch", kind, name, ...words, "--type", "merge", "-p", JSON.stringify(change));
  }

  /** Replaces the value at `path`; undefined: removes it. `tested` is the expected present value. */
  replace(
    { kind, namespace, name }: { kind: string; namespace?: string | undefined; name: string },
    tested: { readonly path: string; readonly value: unknown },
    path: string,
    value?: unknown,
  ): string {
    const change = value === undefined ? { op: "remove", path } : { op: "add", path, value };
    const patch = [{ op: "test", ...tested }, change];
    return this.kubectl(namespace, "patch", kind, name, "--type", "json", "-p", JSON.stringify(patch));
  }

  removeFinalizer({ metadata }: Pick<TypedObject, "metadata">, finalizer: string): string {
    const path = `/metadata/finalizers/${(metadata.finalizers ?? []).indexOf(finalizer)}`;
    const { namespace, name } = metadata;
    return this.replace({ kind: "pod", namespace, name }, { path, value: finalizer }, path);
  }

  /** Starts a controller for the Jobs of a manager; undefined: for those of the built-in one. */
  startController(manager: string | undefined): string {
    const jobs = manager === undefined ? ["--default-controller"] : ["--managed-by", manager];
    return ["stint", "controller", ...this.#options, ...jobs].map(shellWord).join(" ");
  }

  /** A command of kubectl without the options that choose the cluster. */
  given(command: string): string {
    return [command, ...this.#options.map(shellWord)].join(" ");
  }

  why(namespace: string, job: string): string {
    return ["stint", "why", ...this.#options, "-n", namespace, job].map(shellWord).join(" ");
  }
}
