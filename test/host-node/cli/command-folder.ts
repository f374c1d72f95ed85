/** A separate folder for the files of a command, which is run in it. What the command says of them is relative. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { main } from "./checked-main.ts";
import { RecordingConsole } from "./recording-console.ts";

export class CommandFolder {
  readonly path = mkdtempSync(path.join(tmpdir(), "stint-command-"));

  /** Writes a file, and the folders above it. @returns its whole path */
  file(name: string, text: string): string {
    const whole = path.join(this.path, name);
    mkdirSync(path.dirname(whole), { recursive: true });
    writeFileSync(whole, text);
    return whole;
  }

  async run(...args: readonly string[]): Promise<{ exit: number; out: string; err: string }> {
    const console = new RecordingConsole(this.path);
    const exit = await main([...args], "0.0.0", console);
    const relative = (text: string): string => text.replaceAll(`${this.path}/`, "");
    return { exit, out: relative(console.out), err: relative(console.err) };
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
