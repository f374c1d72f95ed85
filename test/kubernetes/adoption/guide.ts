/**
 * The commands and files of docs/adoption.md, as a user would copy them. Invariant: nothing of the guide is repeated
 * in a test, so a guide that does not work fails it.
 */
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { BUNDLE } from "../../host-node/serving.ts";

const repository = resolve(import.meta.dirname, "../../..");
const GUIDE = readFileSync(join(repository, "docs/adoption.md"), "utf8");

type Part = "Do" | "Check" | "Rollback";

interface Block {
  readonly step: number;
  readonly part: Part;
  readonly language: string;
  readonly text: string;
}

const BLOCKS: readonly Block[] = GUIDE.split(/^## (?=\d\. )/m)
  .slice(1)
  .flatMap((section) => {
    let part: Part = "Do";
    return [...section.matchAll(/^\*\*(Do|Check|Rollback)\.\*\*|^```(\w+)\n([^]*?)^```$/gm)].flatMap(
      ([, label, language, text]): Block[] => {
        if (label !== undefined) part = label as Part;
        return language === undefined ? [] : [{ step: Number(section[0]), part, language, text: text! }];
      },
    );
  });

export class Guide {
  readonly #folder: string;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #followed = new Set<Block>();

  /** @param folder for this guide alone */
  constructor(folder: string, kubeconfig: string) {
    const bin = join(folder, "bin");
    this.#folder = join(folder, "work");
    mkdirSync(bin, { recursive: true });
    symlinkSync(repository, join(folder, "stint"));
    writeFileSync(join(bin, "stint"), `#!/bin/sh\nexec ${process.execPath} ${BUNDLE} "$@"\n`, { mode: 0o755 });
    this.#environment = {
      PATH: `${bin}:${process.env["PATH"]}`,
      HOME: folder,
      KUBECONFIG: kubeconfig,
    };
    for (const { language, text } of BLOCKS) {
      const [, path] = /^# (\S+\.yaml)\n/.exec(text) ?? [];
      if (language !== "yaml" || path === undefined) continue;
      mkdirSync(dirname(join(this.#folder, path)), { recursive: true });
      writeFileSync(join(this.#folder, path), text);
    }
  }

  /**
   * Runs the lines of a block. @param number of several of one part. @returns what they say on standard output.
   * @throws Error when one fails
   */
  follow(step: number, part: Part, number = 0): Promise<string> {
    return this.run(this.take(step, part, number));
  }

  /** The lines of a block, for a test that has to run them in another way. */
  take(step: number, part: Part, number = 0): string {
    const block = blocksOf(step, part, "sh")[number];
    if (block === undefined) throw new Error(`step ${step} of docs/adoption.md has no block ${number} under ${part}`);
    this.#followed.add(block);
    return block.text;
  }

  async run(lines: string): Promise<string> {
    const shell = spawn("bash", ["--norc", "-euo", "pipefail", "-c", lines], {
      cwd: this.#folder,
      env: this.#environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let out = "";
    let err = "";
    shell.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
    shell.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
    const status = await new Promise<number | null>((resolve) => shell.once("close", resolve));
    if (status !== 0) throw new Error(`status ${status} of\n${lines}\n${out}${err}`);
    return out;
  }

  /** Blocks of commands that no test has followed. */
  get left(): string[] {
    return BLOCKS.filter((block) => block.language === "sh" && !this.#followed.has(block)).map(
      ({ step, part, text }) => `${step} ${part}: ${text}`,
    );
  }
}

/** The controllers that the guide switches off, as kube-controller-manager calls them. */
export function switchedOff(): string[] {
  const [argument] = blocksOf(4, "Do", "yaml").map(({ text }) => /--controllers=\*,(\S+)/.exec(text)?.[1] ?? "");
  return argument!.split(",").map((name) => name.replace(/^-/, ""));
}

function blocksOf(step: number, part: Part, language: string): Block[] {
  return BLOCKS.filter((block) => block.step === step && block.part === part && block.language === language);
}
