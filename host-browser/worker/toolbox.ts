/**
 * The tools of a session, loaded on first use. One scenario was parsed and checked at build time, that of the first
 * picture (prepared-yaml.ts); all others need the YAML library, and the code that finds their mistakes.
 */
import type { YamlDocument, YamlReader } from "../../cluster/yaml/yaml-tree.ts";
import type { Command } from "../messages.ts";
import type { Action, Scenario } from "../../cluster/simulation/scenario.ts";
import type { LazyParts, Tools } from "../../cluster/simulation/tools.ts";

export interface Loaders {
  /** The documents of a text that was parsed at build time; undefined for any other. */
  preparedYaml(text: string): readonly YamlDocument[] | undefined;
  /** The scenario ran when the page was tested, and has no mistakes. */
  isKnown(scenario: Scenario): boolean;
  /** The reader for all other texts. */
  loadYamlLibrary(): Promise<YamlReader>;
  loadLazyParts(): Promise<LazyParts>;
}

export class Toolbox implements Tools {
  readonly #loaders: Loaders;
  #library: YamlReader | undefined;
  #lazyParts: LazyParts | undefined;

  constructor(loaders: Loaders) {
    this.#loaders = loaders;
  }

  /** Undefined: the command can be obeyed now. */
  prepare(command: Command): Promise<void> | undefined {
    const isReadable =
      this.#library !== undefined || yamlOf(command).every((text) => this.#loaders.preparedYaml(text) !== undefined);
    const hasRare = this.#lazyParts !== undefined || !this.#needsRare(command);
    if (isReadable && hasRare) return undefined;
    return Promise.all([isReadable ? undefined : this.prepareYaml(), hasRare ? undefined : this.loadLazyParts()]).then(
      () => {},
    );
  }

  /** After this every text can be read. */
  async prepareYaml(): Promise<void> {
    this.#library ??= await this.#loaders.loadYamlLibrary();
  }

  async loadLazyParts(): Promise<LazyParts> {
    return (this.#lazyParts ??= await this.#loaders.loadLazyParts());
  }

  /** Undefined: not loaded yet. */
  get rareNow(): LazyParts | undefined {
    return this.#lazyParts;
  }

  /** Only for what is prepared. */
  lazyParts(): LazyParts {
    if (this.#lazyParts === undefined) throw new Error("something is done that was not prepared");
    return this.#lazyParts;
  }

  checks(scenario: Scenario): LazyParts | undefined {
    return this.#loaders.isKnown(scenario) ? undefined : this.lazyParts();
  }

  /** Whether the command's scenario may have mistakes, or the user acts in it. */
  #needsRare(command: Command): boolean {
    if (command.kind === "load") return !this.#loaders.isKnown(command.scenario);
    return command.kind === "act" || command.kind === "check";
  }

  /** Only for texts that are prepared. */
  readonly readYaml: YamlReader = (text) => {
    const documents = this.#library?.(text) ?? this.#loaders.preparedYaml(text);
    if (documents === undefined) throw new Error("a text is read that was not prepared");
    return documents;
  };
}

/** The manifests that a command brings. */
function yamlOf(command: Command): string[] {
  if (command.kind === "check") return [command.yaml];
  if (command.kind === "act") return yamlOfAction(command.action);
  if (command.kind !== "load") return [];
  return [command.scenario.yaml, ...command.scenario.inputs.flatMap(({ action }) => yamlOfAction(action))];
}

function yamlOfAction(action: Action): string[] {
  return action.kind === "apply" ? [action.yaml] : [];
}
