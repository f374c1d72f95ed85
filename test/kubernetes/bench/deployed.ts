/**
 * The arguments and the environment that a manifest of deploy/ gives to the container of the controller, so that what
 * is measured is what is deployed.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parse } from "yaml";

const OVERLAYS = resolve(import.meta.dirname, "../../../deploy/controller");

interface Workload {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly [
          {
            readonly args: readonly string[];
            readonly env: readonly { readonly name: string; readonly value?: string }[];
          },
        ];
      };
    };
  };
}

/** @param file in deploy/controller: `base/deployment.yaml` */
export function deployedContainer(file: string): {
  readonly args: readonly string[];
  /** Variables with a value of their own. */
  readonly env: Readonly<Record<string, string>>;
} {
  const { args, env } = (parse(readFileSync(resolve(OVERLAYS, file), "utf8")) as Workload).spec.template.spec
    .containers[0];
  const values = env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]));
  return { args, env: Object.fromEntries(values) };
}
