/**
 * Rows of the resources whose types are in schema-served.ts, which the playground leaves out.
 *
 * Invariant: the types are there before a row asks for them. That module is imported by a name, and not to run it: a
 * bundler that splits code does not keep the order of modules that import no name of each other.
 */
import { addServedTypes } from "../schema/schema-served.ts";
import type { KubeObject } from "../../values/types.ts";
import type { ResourceDefinition, Strategy, Subresource } from "./context.ts";
import { define, status } from "./resource-table.ts";

/**
 * As `define`. A status is empty in a new object, unless the strategy says otherwise. If it is written alone, a write
 * keeps spec and metadata before the strategy looks at it.
 */
export function defineServed(...row: Parameters<typeof define>): ResourceDefinition {
  addServedTypes();
  const definition = define(...row);
  const written = definition.subresources.find(({ name }) => name === "status");
  return written === undefined ? definition : { ...definition, strategy: withStatus(definition.strategy, written) };
}

/** A status that is written alone. */
export function statusAlone(kind: string): Subresource {
  return { ...status(kind), keepsMetadata: true };
}

function withStatus(strategy: Strategy, { keepsMetadata }: Subresource): Strategy {
  const whole: Strategy = { prepareCreate: (object) => ({ ...object, status: {} }), ...strategy };
  if (!keepsMetadata) return whole;
  return {
    ...whole,
    prepareSubresourceUpdate(object, current, request) {
      const kept = keepAllButStatus(object, current);
      return strategy.prepareSubresourceUpdate?.(kept, current, request) ?? kept;
    },
  };
}

function keepAllButStatus(object: KubeObject, current: KubeObject): KubeObject {
  const { managedFields } = object.metadata;
  return {
    ...object,
    ...("spec" in current && { spec: current["spec"] }),
    metadata: { ...current.metadata, ...(managedFields && { managedFields }) },
  };
}
