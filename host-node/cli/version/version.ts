/** The action of `stint version`. */
import { Engine } from "../../../bindings/js/engine.ts";
import { SERVED_KUBERNETES, SERVED_VERSIONS } from "../../../cluster/values/kubernetes-versions.ts";
import { loadEngineModule } from "../../engine-module.ts";
import type { Console } from "../console.ts";
import { documentLine, head } from "../json/document.ts";
import type { VersionReport } from "./document.ts";

export interface VersionOptions {
  readonly output: "text" | "json";
  readonly version: string;
}

/** @returns the exit status */
export async function printVersions({ output, version }: VersionOptions, console: Console): Promise<number> {
  const { module, sha256 } = await loadEngineModule();
  const { abiVersion } = await Engine.create(module);
  const node = process.versions.node;
  if (output === "json") {
    const all: VersionReport = {
      ...head("VersionReport"),
      stint: version,
      engineAbi: abiVersion,
      engineSha256: sha256,
      kubernetes: SERVED_KUBERNETES,
      kubernetesServed: SERVED_VERSIONS,
      node,
    };
    console.writeOut(documentLine(all));
    return 0;
  }
  console.writeOut(
    [
      `stint       ${version}`,
      `engine ABI  ${abiVersion}`,
      `Kubernetes  ${SERVED_KUBERNETES} (stint run and serve: ${SERVED_VERSIONS[0]} to ${SERVED_VERSIONS.at(-1)})`,
      `Node        ${node}`,
      "",
    ].join("\n"),
  );
  return 0;
}
