/** What `stint version` prints, as a document. */
import type { Document } from "../json/document.ts";

/** The versions of this command and of its parts. */
export interface VersionReport extends Document<"VersionReport"> {
  /** Of Stint: `0.1.0`. */
  readonly stint: string;
  /** Of the interface of its engine: `1.7`. */
  readonly engineAbi: string;
  readonly engineSha256: string;
  /** Of Kubernetes, which the engine follows. */
  readonly kubernetes: string;
  /** As which `stint run` and `stint serve` can answer. */
  readonly kubernetesServed: readonly string[];
  /** Of Node, which runs the command. */
  readonly node: string;
}
