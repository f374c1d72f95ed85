/** What the server needs to know about a resource: the types of the table in resources.ts. */
import type { KubeObject } from "../types.ts";
import type { Outcome, ResourceRequest } from "./context.ts";
import type { BodyKind } from "./decode.ts";
import type { FieldLabels } from "./selectors.ts";
import type { Violation } from "./status-errors.ts";
import type { TableDefinition } from "./tables/table.ts";

export type Verb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";

export interface Subresource {
  readonly name: string;
  readonly kind: string;
  /** Only set if the kind belongs to another group: `policy/v1` for pods/eviction. */
  readonly groupVersion?: { readonly group: string; readonly version: string };
  readonly verbs: readonly Verb[];
  /** A creation that does not just store the object. @throws ApiError */
  readonly create?: (request: ResourceRequest) => Outcome;
  /** Handles all verbs of a subresource that is no part of the object as it is stored. @throws ApiError */
  readonly handle?: (verb: Exclude<Verb, "watch">, request: ResourceRequest) => Outcome;
}

/** The rules of one kind. Each hook returns a new object and does not change its arguments. */
export interface Strategy {
  /** A write of the main resource can change the status too. */
  readonly writesStatus?: boolean;
  /** A decoded new object, with name, uid and namespace, before admission. */
  prepareCreate?(object: KubeObject, request: ResourceRequest): KubeObject;
  /** A new object after admission, with its defaults. */
  completeCreate?(object: KubeObject, request: ResourceRequest): KubeObject;
  /** The object that results from an update of the main resource. */
  prepareUpdate?(object: KubeObject, current: KubeObject, request: ResourceRequest): KubeObject;
  /** The same for an update of a subresource, which by default keeps the spec. */
  prepareSubresourceUpdate?(object: KubeObject, current: KubeObject, request: ResourceRequest): KubeObject;
  /**
   * Makes further changes to an object that is being deleted, beyond the marks of deletion.
   * @throws ApiError if the object may not be deleted
   */
  prepareDelete?(object: KubeObject, request: ResourceRequest): KubeObject;
  /** Whether something other than metadata.finalizers keeps a deleted object. */
  isHeld?(object: KubeObject): boolean;
  /** Rules beyond those of the metadata. `current` is absent on create. */
  validate?(object: KubeObject, current: KubeObject | undefined, request: ResourceRequest): readonly Violation[];
}

/** A second version of a kind that is stored in another. */
export interface Conversion {
  toStored(object: KubeObject): KubeObject;
  fromStored(stored: KubeObject): KubeObject;
}

export interface ResourceDefinition {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly singular: string;
  readonly body: BodyKind;
  readonly isNamespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly Verb[];
  /** A creation that does not just store the object. @throws ApiError */
  readonly create?: (request: ResourceRequest) => Outcome;
  readonly subresources: readonly Subresource[];
  /** The resource whose store holds the objects; two group versions of one kind share it. */
  readonly storage: string;
  /** What error texts call the store, where upstream's has another name. */
  readonly storageKey?: string;
  /** What every answer warns of: the version is deprecated. */
  readonly warning?: string;
  readonly conversion?: Conversion;
  /** metadata.generation counts the changes of spec. */
  readonly hasGeneration: boolean;
  readonly allowsUnconditionalUpdate: boolean;
  readonly createsOnUpdate: boolean;
  /** An immediate delete answers the object, not a Status. */
  readonly returnsDeletedObject: boolean;
  /** What a delete without options does. */
  readonly orphansByDefault: boolean;
  /** The injected admission function defaults and validates the kind. */
  readonly hasAdmission: boolean;
  readonly nameSyntax: "subdomain" | "label" | "path-segment";
  readonly fields: FieldLabels;
  /** Every answer warns of the resource. */
  readonly deprecation?: string;
  readonly strategy: Strategy;
  readonly table: TableDefinition;
}
