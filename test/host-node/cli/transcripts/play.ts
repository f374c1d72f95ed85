/**
 * Plays the blocks of a transcript in a temporary folder, on its own server if it asks for one. A command is the
 * real `main` in this process; a server is a process, as users start it. No answer may have the server's token. Leaves
 * out terminals and standard input, and the line that says which kubeconfig was found: found-kubeconfig.test.ts.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { main } from "../checked-main.ts";
import { createServerCertificate } from "../../../../host-node/server/certificates.ts";
import { startServe } from "../../serving.ts";
import { ask } from "../../webhook/https-client.ts";
import { startWebhook } from "../../webhook/running-webhook.ts";
import { withoutFoundNote } from "../found-note.ts";
import { RecordingConsole } from "../recording-console.ts";
import { Masking } from "./masks.ts";
import { type Answer, type Block, type Section, sectionText, type Transcript } from "./transcript.ts";

interface Server {
  readonly url: string;
  /** PEM. */
  readonly authority: string;
  /** Undefined: it takes requests without one. */
  readonly token: string | undefined;
  /** Resolves with the exit status. */
  stop(): Promise<number | null>;
}

type Start = (args: readonly string[], folder: string) => Promise<Server>;

const SERVERS: Readonly<Record<string, Start>> = {
  async serve(args, folder) {
    const served = await startServe(args, folder);
    const config = parse(readFileSync(served.kubeconfig, "utf8"));
    const { server, "certificate-authority-data": authority } = config.clusters[0].cluster;
    return {
      url: server,
      authority: Buffer.from(authority, "base64").toString(),
      token: config.users[0].user.token,
      stop: () => served.stop(),
    };
  },
  async webhook(args, folder) {
    const certificate = createServerCertificate(Date.now());
    const { url, stop } = await startWebhook(folder, certificate, args);
    return { url, authority: certificate.authority, token: undefined, stop };
  },
};

export class Player {
  readonly folder: string;
  readonly #server: Server | undefined;
  readonly #masking: Masking;

  private constructor(folder: string, server: Server | undefined, masks: readonly string[]) {
    this.folder = folder;
    this.#server = server;
    this.#masking = new Masking(masks, { folder, server: server?.url });
  }

  /** Makes the folder with its files, and starts the server. @throws Error when it is none, or does not start */
  static async start({ server: words, masks, files }: Transcript): Promise<Player> {
    const folder = mkdtempSync(join(tmpdir(), "stint-transcript-"));
    writeFiles(folder, files);
    if (words === undefined) return new Player(folder, undefined, masks);
    const [kind = "", ...args] = words;
    const start = SERVERS[kind];
    if (start === undefined) throw new Error(`${kind} is no server; there are ${Object.keys(SERVERS).join(", ")}`);
    const server = await start(args, folder).catch((error: unknown) => {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    });
    const player = new Player(folder, server, masks);
    const texts = [...files].map(([name, text]) => [name, player.#filledIn(text)] as const);
    writeFiles(
      folder,
      texts.filter(([name, text]) => text !== files.get(name)),
    );
    return player;
  }

  /** Plays the blocks of a section, one after another. @returns the section with what they answer now */
  async play({ title, blocks }: Section): Promise<string> {
    const played: { block: Block; answer: Answer }[] = [];
    for (const block of blocks) {
      const { out, err, status } = await (block.kind === "command" ? this.#run(block.line) : this.#request(block.line));
      const token = this.#server?.token;
      if (token !== undefined && `${out}${err}`.includes(token)) throw new Error(`${block.line} shows the token`);
      played.push({ block, answer: { out: this.#masking.mask(out), err: this.#masking.mask(err), status } });
    }
    return sectionText(title, played);
  }

  get unusedMasks(): readonly string[] {
    return this.#masking.unused;
  }

  /** Ends the server and removes the folder. @throws Error when the server does not end with 0 */
  async stop(): Promise<void> {
    const status = (await this.#server?.stop()) ?? 0;
    rmSync(this.folder, { recursive: true, force: true });
    if (status !== 0) throw new Error(`the server ended with ${status}`);
  }

  async #run(line: string): Promise<Answer> {
    const words = wordsOf(this.#filledIn(line));
    const begin = words.indexOf("stint");
    if (begin < 0) throw new Error(`${line} does not run stint`);
    const console = new RecordingConsole(this.folder);
    Object.assign(console.environment, Object.fromEntries(words.slice(0, begin).map((word) => word.split("=", 2))));
    const status = await main(words.slice(begin + 1), "0.0.0", console);
    return { out: console.out, err: withoutFoundNote(console.err), status };
  }

  async #request(line: string): Promise<Answer> {
    if (this.#server === undefined) throw new Error(`${line} needs a server; name one at the top: server: serve`);
    const { url, authority, token } = this.#server;
    const [, method = "", path = "", given = ""] = /^(\S+) (\S+) ?(.*)$/.exec(line) ?? [];
    const body = given.startsWith("@") ? readFileSync(join(this.folder, given.slice(1)), "utf8") : given;
    const { status, body: answer } = await ask(`${url}${path}`, authority, {
      method,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      body: given.endsWith(".yaml") ? JSON.stringify(parse(body)) : body,
    });
    return { out: shown(answer), err: "", status };
  }

  /** With this run's values for `<server>` and so on. */
  #filledIn(text: string): string {
    if (this.#server === undefined) return text.replaceAll("<folder>", this.folder);
    const { url, authority, token = "" } = this.#server;
    return text
      .replaceAll("<folder>", this.folder)
      .replaceAll("<server>", url)
      .replaceAll("<authority>", Buffer.from(authority).toString("base64"))
      .replaceAll("<token>", token);
  }
}

function writeFiles(folder: string, files: Iterable<readonly [string, string]>): void {
  for (const [name, text] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/** JSON by the line. Of an object that the server stores: which one it is. */
function shown(answer: string): string {
  if (!answer.startsWith("{")) return answer;
  const value = JSON.parse(answer);
  if (value.metadata?.uid === undefined) return `${JSON.stringify(value, undefined, 2)}\n`;
  const { kind, metadata } = value;
  return `${kind} ${metadata.namespace === undefined ? "" : `${metadata.namespace}/`}${metadata.name}\n`;
}

/** As a shell splits them: words and quoted words, without anything that is expanded. */
export function wordsOf(line: string): string[] {
  return [...line.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, "$1$2"),
  );
}
