/** The programs of examples/js run in Node, with the package that is built here. */
import { resolve } from "node:path";
import { tryPrograms } from "./js-programs.ts";

tryPrograms(() => [process.execPath], resolve(import.meta.dirname, "../../examples/js"));
