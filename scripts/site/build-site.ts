/** The whole site in a folder: the generator, its source, and its output. */
import { mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { builtPlayground } from "../built-playground.ts";
import { generate, installGenerator } from "./generator.ts";
import { writeSource } from "./source.ts";

/** The generator finds its packages from the source, so that is beside them. */
const FOLDER = path.resolve(import.meta.dirname, "../../site");

export interface SiteOptions {
  /** Is emptied and filled. */
  readonly out: string;
  readonly base: string;
  readonly files: string | undefined;
}

/** @throws Error when a page does not build, or a link between pages leads nowhere */
export async function buildSite({ out, base, files }: SiteOptions): Promise<void> {
  await installGenerator();
  const scratch = mkdtempSync(path.join(FOLDER, "build-"));
  try {
    const source = path.join(scratch, "source");
    const sidebars = await writeSource({ folder: source, playground: await builtPlayground(), files });
    rmSync(out, { recursive: true, force: true });
    await generate({ source, sidebars, out, base });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
