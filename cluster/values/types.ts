/**
 * The few types that the parts of the cluster pass to one another. Kubernetes objects are plain parsed JSON. kinds.ts
 * has the types of the kinds that code reads; what all kinds have in common is here.
 */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** What every served object has. Field meanings: docs/spec/api.md. */
export interface TypedObject<Kind extends string = string> {
  /** Undefined: the object is an item of a list, which names the kind of all. */
  kind?: Kind;
  apiVersion?: string;
  metadata: ObjectMeta;
}

/** An object of any kind. Code that knows the kind reads the object as one of kinds.ts. */
export interface KubeObject extends TypedObject {
  // The API server keeps objects of kinds that it does not know, and goes through all of them by the schema.
  [field: string]: any;
}

export interface ObjectMeta {
  name: string;
  namespace?: string;
  generateName?: string;
  uid: string;
  resourceVersion: string;
  generation?: number;
  creationTimestamp: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: unknown[];
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/**
 * Answers an AdmissionReview (admission.k8s.io/v1, JSON text in and out). The engine's `review` is the one
 * implementation of Job defaulting, selector generation, validation and status rules; it is injected, so that the
 * cluster depends on no engine.
 */
export type Admission = (review: string) => string;
