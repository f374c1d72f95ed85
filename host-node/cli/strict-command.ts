/**
 * Commander's command, changed so that no value of an option is lost. Only this file decides what an option means that
 * is given more than once, or with the empty text. Commander itself keeps the last value and silently drops the others,
 * and accepts the empty text as a value.
 *
 * Invariant: every value of a list counts, in the order of the command line; any other option that is given a second
 * time is an error, also as its opposite (`--scheduler`, `--no-scheduler`). An option is a list only if it is made as a
 * `ListOption`. No option accepts the empty text, which a script passes when a variable is not set: as a folder it
 * would be the current one, and as a filter everything. Leaves out variables and settings files: a flag replaces their
 * values.
 */
import { Command, type ErrorOptions, Option } from "commander";

/** An option of which all values count. */
export class ListOption<T> extends Option {
  readonly combine: (texts: readonly string[]) => T;

  /** @param combine merges the texts, at least one. @throws InvalidArgumentError */
  constructor(flags: string, description: string, combine: (texts: readonly string[]) => T) {
    super(flags, description);
    this.combine = combine;
  }
}

interface Given {
  readonly option: Option;
  /** Undefined: a flag without a value. */
  readonly text: string | undefined;
}

export class StrictCommand extends Command {
  /** The values so far, by the name of the option: an option and its opposite share it. */
  readonly #given = new Map<string, Given[]>();

  override createCommand(name?: string): StrictCommand {
    return new StrictCommand(name);
  }

  override addOption(option: Option): this {
    const name = option.attributeName();
    if (option instanceof ListOption)
      option.argParser(() => option.combine((this.#given.get(name) ?? []).map(({ text }) => text ?? "")));
    // Runs before Commander's own listener, which reads the value.
    this.on(`option:${option.name()}`, (text?: string | null) => this.#take({ option, text: text ?? undefined }));
    return super.addOption(option);
  }

  /** Mistakes begin with the name of the program, as all others do; Commander begins its own with `error: `. */
  override error(message: string, options?: ErrorOptions): never {
    return super.error(message.replace(/^error: /, "stint: "), options);
  }

  #take(given: Given): void {
    const name = given.option.attributeName();
    if (given.text === "") this.error(`stint: ${emptyProblem(given.option)}`, { code: "stint.givenEmpty" });
    const before = this.#given.get(name);
    if (before === undefined) this.#given.set(name, [given]);
    else if (given.option instanceof ListOption) before.push(given);
    else this.error(`stint: ${problemOf(before[0]!, given)}`, { code: "stint.givenTwice" });
  }
}

function emptyProblem({ flags, argChoices }: Option): string {
  const allowed = argChoices === undefined ? "is at least one character" : `are ${argChoices.join(", ")}`;
  return `option '${flags}' is given as "", as by a variable that is not set; allowed ${allowed}: else leave it out`;
}

function problemOf(first: Given, second: Given): string {
  if (first.option !== second.option)
    return `options '${first.option.flags}' and '${second.option.flags}' say the opposite; leave one of them out`;
  const values = [first.text, second.text].filter((text) => text !== undefined).map((text) => JSON.stringify(text));
  const given = values.length === 2 ? `given twice, as ${values.join(" and as ")}` : "given twice";
  return `option '${first.option.flags}' is ${given}; allowed is once: leave one of them out`;
}
