/**
 * `npm run playground`: bundles the playground, unless that is done, and serves it until it is interrupted. With
 * --build-only it leaves the bundles in build/playground/, for any web server.
 */
import { once } from "node:events";
import path from "node:path";
import { parseArgs } from "node:util";
import { buildPlayground } from "./build-playground.ts";
import { builtPlayground } from "./built-playground.ts";
import { serveFolder } from "./serve-folder.ts";

const DEFAULT_FOLDER = path.resolve(import.meta.dirname, "../build/playground");
const EXIT_BAD_INPUT = 2;
const HELP = `Serves the Stint playground: Jobs on a simulated cluster, in the browser, on simulated time.

Usage: npm run playground [-- OPTIONS]

  --port N       port on 127.0.0.1, 0 to 65535; 0 (the default) takes a free one
  --build-only   only bundle it, to build/playground/: static files for any web server
  --help         this text
`;

process.exitCode = await main();

async function main(): Promise<number> {
  const options = readOptions();
  if (typeof options === "string") {
    console.error(`playground: ${options}`);
    return EXIT_BAD_INPUT;
  }
  if (options.help) {
    console.log(HELP);
    return 0;
  }
  if (options.buildOnly) {
    await buildPlayground(DEFAULT_FOLDER);
    console.log(`built ${path.relative(process.cwd(), DEFAULT_FOLDER) || "."}`);
    return 0;
  }
  return serve(await builtPlayground(), options.port);
}

async function serve(folder: string, port: number): Promise<number> {
  try {
    const server = await serveFolder(folder, port);
    // Listen before the address is printed: its reader may end the process at once.
    const ended = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
    console.log(`playground: ${server.url} (Ctrl-C ends it)`);
    await ended;
    await server.close();
    return 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    console.error(`playground: port ${port} of 127.0.0.1 is in use; give another with --port, or none for a free one`);
    return EXIT_BAD_INPUT;
  }
}

/** The options, or the problem with them. */
function readOptions(): { port: number; buildOnly: boolean; help: boolean } | string {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: "string", default: "0" },
        "build-only": { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65535)
      return `--port is ${values.port}; allowed are 0 to 65535`;
    return { port: Number(values.port), buildOnly: values["build-only"], help: values.help };
  } catch (error) {
    return (error as Error).message;
  }
}
