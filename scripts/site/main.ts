/**
 * `npm run site`: builds the site, the documents with the playground, to build/site/: static files for any web server.
 * With --serve it serves them on this machine until it is interrupted.
 */
import { once } from "node:events";
import path from "node:path";
import { parseArgs } from "node:util";
import { serveFolder } from "../serve-folder.ts";
import { buildSite } from "./build-site.ts";

const DEFAULT_OUT = path.resolve(import.meta.dirname, "../../build/site");
const EXIT_BAD_INPUT = 2;
const HELP = `Builds the site of Stint: its documents, the lessons and the playground, with a search.

Usage: npm run site [-- OPTIONS]

  --base PATH    the path of the address at which it will be, such as /stint/ for
                 https://example.com/stint/ (default: /)
  --out DIR      takes the files; what is in it is removed (default: build/site)
  --files URL    where the files of this repository are that are no pages, such as
                 https://example.com/stint/blob/main (default: they are not linked)
  --serve        serves it on 127.0.0.1, until Ctrl-C
  --port N       for --serve, 0 to 65535; 0 (the default) takes a free one
  --help         this text

It makes no request when it is read: the search is a part of it. The first run
installs the generator in site/node_modules.
`;

interface Options {
  readonly base: string;
  readonly out: string;
  readonly files: string | undefined;
  readonly serve: boolean;
  readonly port: number;
  readonly help: boolean;
}

process.exitCode = await main();

async function main(): Promise<number> {
  const options = readOptions();
  if (typeof options === "string") {
    console.error(`site: ${options}`);
    return EXIT_BAD_INPUT;
  }
  if (options.help) {
    console.log(HELP);
    return 0;
  }
  await buildSite(options);
  console.log(`built ${path.relative(process.cwd(), options.out) || "."}`);
  return options.serve ? serve(options) : 0;
}

async function serve({ out, base, port }: Options): Promise<number> {
  try {
    const server = await serveFolder(out, port, { base, policy: "site" });
    const ended = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
    console.log(`site: ${server.url} (Ctrl-C ends it)`);
    await ended;
    await server.close();
    return 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    console.error(`site: port ${port} of 127.0.0.1 is in use; give another with --port, or none for a free one`);
    return EXIT_BAD_INPUT;
  }
}

/** The options, or the problem with them. */
function readOptions(): Options | string {
  try {
    const { values } = parseArgs({
      options: {
        base: { type: "string", default: "/" },
        out: { type: "string", default: DEFAULT_OUT },
        files: { type: "string" },
        serve: { type: "boolean", default: false },
        port: { type: "string", default: "0" },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    const { base, port, files } = values;
    if (!/^\/([\w.~-]+\/)*$/.test(base)) return `--base is ${base}; it begins and ends with /, as /stint/`;
    if (!/^\d{1,5}$/.test(port) || Number(port) > 65535) return `--port is ${port}; allowed are 0 to 65535`;
    return { ...values, files: files?.replace(/\/$/, ""), out: path.resolve(values.out), port: Number(port) };
  } catch (error) {
    return (error as Error).message;
  }
}
