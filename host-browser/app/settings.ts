/**
 * How the page looks to this reader: theme, size of type and rows of nodes, which are stored, and what the address asks
 * for. Invariant: an embedded page stores nothing, so a blog's choice does not become the reader's setting.
 */
import { signal } from "@preact/signals";
import type { Memory } from "./storage.ts";

export type ThemeChoice = "auto" | "light" | "dark";
const CHOICES: readonly ThemeChoice[] = ["auto", "light", "dark"];

export class Settings {
  /** Picture and transport only. */
  readonly isEmbedded: boolean;
  readonly theme;
  readonly isLarge;
  /** Nodes have rows in the picture. */
  readonly hasNodes;
  readonly #memory: Memory;

  /** @param query the part of the address after `?`: `embed=1`, `theme=dark`, `large=1`, `nodes=0` */
  constructor(memory: Memory, query: string) {
    const asked = new URLSearchParams(query);
    this.#memory = memory;
    this.isEmbedded = asked.get("embed") === "1";
    this.theme = signal(choiceOf(asked.get("theme")) ?? choiceOf(memory.read("theme")) ?? "auto");
    this.isLarge = signal((asked.get("large") ?? memory.read("large")) === "1");
    this.hasNodes = signal((asked.get("nodes") ?? memory.read("nodes")) !== "0");
  }

  /** Automatic, light, dark, and again automatic. */
  nextTheme(): void {
    this.theme.value = CHOICES[(CHOICES.indexOf(this.theme.value) + 1) % CHOICES.length]!;
    this.#keep("theme", this.theme.value);
  }

  toggleLarge(): void {
    this.isLarge.value = !this.isLarge.value;
    this.#keep("large", this.isLarge.value ? "1" : "0");
  }

  toggleNodes(): void {
    this.hasNodes.value = !this.hasNodes.value;
    this.#keep("nodes", this.hasNodes.value ? "1" : "0");
  }

  #keep(key: string, value: string): void {
    if (!this.isEmbedded) this.#memory.write(key, value);
  }
}

function choiceOf(text: string | null | undefined): ThemeChoice | undefined {
  return CHOICES.find((choice) => choice === text);
}
