/**
 * No value of the command line is lost without a word: for every option of every command, a list counts with all its
 * values, any other option is refused when it is given twice, and each when it is given the empty text. The options
 * come from the program itself, so a new one is tried, too.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command, Option } from "commander";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProgram, main } from "../../../host-node/cli/program.ts";
import { ListOption } from "../../../host-node/cli/strict-command.ts";
import { buildModule } from "../../../scripts/build-engine.ts";
import { RecordingConsole } from "./recording-console.ts";

/** Every list: two values that are given, and what the command gets of them. */
const LISTS: Readonly<Record<string, { readonly values: readonly [string, string]; readonly together: unknown }>> = {
  "run --filename": { values: ["a", "b"], together: ["a", "b"] },
  "wait --filename": { values: ["a", "b"], together: ["a", "b"] },
  "mcp --allow-context": { values: ["a", "b"], together: ["a", "b"] },
  "run --visible": { values: ["a", "b"], together: ["a", "b"] },
  "run --feature-gates": {
    values: ["WorkloadWithJob=true", "WorkloadWithJob=true"],
    together: { WorkloadWithJob: true },
  },
  "serve --visible": { values: ["a", "b"], together: ["a", "b"] },
  "serve --feature-gates": {
    values: ["WorkloadWithJob=true", "WorkloadWithJob=true"],
    together: { WorkloadWithJob: true },
  },
  "controller --namespaces": { values: ["a", "b,c"], together: "a,b,c" },
  "controller --feature-gates": {
    values: ["WorkloadWithJob=true", "B=false"],
    together: "WorkloadWithJob=true,B=false",
  },
  "lint --rule": { values: ["NoDeadline=deny", "NoTimeToLive=off"], together: "NoDeadline=deny,NoTimeToLive=off" },
  "lint --managers": { values: ["a/b", "c/d"], together: "a/b,c/d" },
};
/** One of them is read by each option that takes a value. */
const SAMPLES = ["1", "2", "1m", "2m"];

interface Case {
  readonly name: string;
  readonly command: string;
  readonly option: Option;
}

function commandsOf(program: Command): readonly Command[] {
  return [program, ...program.commands.flatMap(commandsOf)];
}

const cases: readonly Case[] = commandsOf(createProgram("0.0.0", new RecordingConsole("/"), () => {})).flatMap(
  (command) =>
    command.options
      .filter(({ long }) => long !== "--version") // Prints and ends at once.
      .map((option) => ({ name: `${command.name()} ${option.long}`, command: command.name(), option })),
);

/** Parses without running anything. @returns what the command would get, by its options' names; or what was said */
async function parsed(name: string, words: readonly string[]): Promise<Record<string, unknown> | string> {
  const console = new RecordingConsole("/");
  const program = createProgram("0.0.0", console, () => {});
  const command = program.commands.find((each) => each.name() === name)!;
  // It takes whatever arguments there are: only options are looked at.
  command.action(() => {});
  const needed = command.registeredArguments.filter(({ required }) => required).map(() => "x");
  try {
    await program.parseAsync([name, ...words, ...needed], { from: "user" });
    return command.opts();
  } catch {
    return console.err;
  }
}

/** Two values that the option takes, with its flag. */
function valuesOf({ argChoices, parseArg }: Option): readonly string[] {
  const candidates = argChoices ?? SAMPLES;
  return candidates.filter((text) => {
    if (argChoices !== undefined || parseArg === undefined) return true;
    try {
      parseArg(text, undefined as never);
      return true;
    } catch {
      return false;
    }
  });
}

describe("an option that is given twice", () => {
  it("is looked at for every command", () => {
    expect(new Set(cases.map(({ command }) => command))).toEqual(
      new Set([
        ...["run", "serve", "controller", "webhook", "replay", "import", "why", "explain", "wait", "lint"],
        ...["doctor", "upgrade-check", "forecast", "incident", "mcp", "version"],
      ]),
    );
    expect(Object.keys(LISTS).filter((list) => !cases.some(({ name }) => name === list))).toEqual([]);
  });

  it.each(cases.filter(({ name }) => name in LISTS))(
    "$name counts with both values",
    async ({ name, command, option }) => {
      const { values, together } = LISTS[name]!;
      for (const flag of [option.long!, ...(option.short === undefined ? [] : [option.short])]) {
        const found = await parsed(command, [flag, values[0], option.long!, values[1]]);
        expect(found).toMatchObject({ [option.attributeName()]: together });
      }
    },
  );

  it.each(cases.filter(({ name }) => !(name in LISTS)))("$name is refused", async ({ command, option }) => {
    const takesValue = option.required || option.optional;
    const [first, second = first] = valuesOf(option);
    const flag = (text: string | undefined): string[] => (takesValue ? [option.long!, text!] : [option.long!]);
    expect(typeof (await parsed(command, flag(first))), "once it is taken").toBe("object");
    const given = takesValue ? `given twice, as "${first}" and as "${second}"` : "given twice";
    const said = `stint: option '${option.flags}' is ${given}; allowed is once: leave one of them out\n`;
    expect(await parsed(command, [...flag(first), ...flag(second)])).toContain(said);
    // The same value twice is no better: which one was meant to be another is not known.
    expect(await parsed(command, [...flag(first), ...flag(first)])).toContain("is given twice");
    if (option.short === undefined) return;
    expect(await parsed(command, [option.short, ...flag(first).slice(1), ...flag(second)])).toContain(said);
  });

  it("is refused as its opposite, too", async () => {
    const said = "stint: options '--scheduler' and '--no-scheduler' say the opposite; leave one of them out\n";
    expect(await parsed("serve", ["--scheduler", "--no-scheduler"])).toContain(said);
  });

  it("ends the command with status 2 before anything happens", async () => {
    const console = new RecordingConsole("/");
    expect(await main(["run", "--output", "json", "-o", "text", "/no/such/file"], "0.0.0", console)).toBe(2);
    expect(console.err).toMatch(/^stint: option '-o, --output <format>' is given twice, as "json" and as "text"; /);
    expect(JSON.parse(console.out)).toMatchObject({ kind: "ErrorReport", exitStatus: 2 });
  });
});

describe("an option that is given the empty text", () => {
  const withValue = cases.filter(({ option }) => option.required || option.optional);

  it.each(withValue)("$name is refused", async ({ command, option }) => {
    const { flags, short, long, argChoices } = option;
    const allowed = argChoices === undefined ? "is at least one character" : `are ${argChoices.join(", ")}`;
    const said = `stint: option '${flags}' is given as "", as by a variable that is not set; allowed ${allowed}: `;
    for (const words of [[long!, ""], [`${long!}=`], ...(short === undefined ? [] : [[short, ""]])])
      expect(await parsed(command, words)).toContain(said);
  });

  it.each(withValue.filter(({ option }) => option instanceof ListOption))(
    "$name is refused beside another value",
    async ({ name, command, option }) => {
      const [value] = LISTS[name]!.values;
      expect(await parsed(command, [option.long!, value, option.long!, ""])).toContain(`is given as ""`);
    },
  );

  it("is no matter for a flag that may go without a value", async () => {
    expect(await parsed("controller", ["--leader-elect"])).toMatchObject({ leaderElect: true });
  });

  it("ends the command with status 2 before anything happens", async () => {
    const console = new RecordingConsole("/");
    expect(await main(["serve", "--data-dir", ""], "0.0.0", console)).toBe(2);
    expect(console.err).toMatch(/^stint: option '--data-dir <folder>' is given as "", /);
    expect(console.out).toBe("");
  });
});

describe("lists, as their commands read them", () => {
  let directory: string;
  beforeAll(async () => {
    await buildModule("engine");
    directory = mkdtempSync(join(tmpdir(), "stint-twice-"));
    const spec = { template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "none" }] } } };
    const job = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "a" }, spec };
    writeFileSync(join(directory, "job.json"), JSON.stringify(job));
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  async function lint(env: object, ...words: readonly string[]): Promise<{ exit: number; out: string; err: string }> {
    const console = new RecordingConsole(directory);
    Object.assign(console.environment, env);
    const exit = await main(["lint", join(directory, "job.json"), ...words], "0.0.0", console);
    return { exit, out: console.out, err: console.err };
  }

  it("deny by the first --rule as by the second", async () => {
    const { exit, out } = await lint({}, "--rule", "NoDeadline=deny", "--rule", "NoTimeToLive=off");
    expect(exit).toBe(1);
    expect(out).toContain("NoDeadline");
    expect(out).not.toContain("NoTimeToLive");
    expect((await lint({}, "--rule", "NoTimeToLive=off", "--rule", "NoDeadline=deny")).exit).toBe(1);
  });

  it("refuse two severities of one rule, in one flag, two, a variable and a file", async () => {
    const said = "with one severity a rule: NoDeadline is deny and off";
    const words = ["--rule", "NoDeadline=deny", "--rule", "NoDeadline=off"];
    expect(await lint({}, ...words)).toMatchObject({ exit: 2, err: expect.stringContaining(said) });
    const both = "NoDeadline=deny,NoDeadline=off";
    expect(await lint({}, "--rule", both)).toMatchObject({ exit: 2, err: expect.stringContaining(said) });
    expect(await lint({ STINT_RULE: both })).toMatchObject({ exit: 2, err: expect.stringContaining(said) });
    writeFileSync(join(directory, "stint.yaml"), "rule: [NoDeadline=deny, NoDeadline=off]\n");
    const file = ["--config", join(directory, "stint.yaml")];
    expect(await lint({}, ...file)).toMatchObject({ exit: 2, err: expect.stringContaining(said) });
    expect((await lint({}, "--rule", "NoDeadline=deny", "--rule", "NoDeadline=deny")).exit).toBe(1);
  });

  it("replace those of the environment and the file, and are not added to them", async () => {
    const { exit, out } = await lint({ STINT_RULE: "NoDeadline=deny" }, "--rule", "NoTimeToLive=off");
    expect(exit).toBe(0);
    expect(out).toContain("warn");
    writeFileSync(join(directory, "stint.yaml"), "rule: [NoDeadline=deny]\n");
    const file = ["--config", join(directory, "stint.yaml")];
    expect((await lint({}, ...file)).exit).toBe(1);
    expect((await lint({}, ...file, "--rule", "NoTimeToLive=off")).exit).toBe(0);
    expect((await lint({ STINT_RULE: "NoTimeToLive=off" }, ...file)).exit).toBe(0);
  });

  it("let the last word count for one gate, as upstream's components do", async () => {
    const words = ["--feature-gates", "WorkloadWithJob=true", "--feature-gates", "WorkloadWithJob=false"];
    expect(await parsed("run", words)).toMatchObject({ featureGates: { WorkloadWithJob: false } });
  });
});
