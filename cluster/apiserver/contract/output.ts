/** In which form an answer is written. */

/** An answer that is written already. */
export interface Document {
  readonly code: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type Transform = "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList";

/** The form of an answer. */
export interface Output {
  readonly transform: Transform | undefined;
  /** Version of meta.k8s.io in which the transform is written. */
  readonly metaVersion: "v1" | "v1beta1";
  /** JSON is YAML too, so the same text serves both. */
  readonly mediaType: "application/json" | "application/yaml";
  readonly isIndented: boolean;
  /** Errors are indented even if objects are not. That is so if the client accepts only a transformed object. */
  readonly indentsErrors: boolean;
}
