/**
 * Rows of the resources whose types are in schema-served.ts, which the playground leaves out.
 *
 * Invariant: the types are there before a row asks for them. That module is imported by a name, and not to run it: a
 * bundler that splits code does not keep the order of modules that import no name of each other.
 */
import { addServedTypes } from "../schema/schema-served.ts";
import type { ResourceDefinition } from "./context.ts";
import { define } from "./resource-table.ts";

/** As `define`. */
export function defineServed(...row: Parameters<typeof define>): ResourceDefinition {
  addServedTypes();
  return define(...row);
}
