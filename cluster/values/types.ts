/**
 * The few types that the parts of the cluster pass to one another. Kubernetes objects are plain parsed JSON: the API
 * server owns their meaning, so nothing here repeats the API's types.
 */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** A Kubernetes object as parsed JSON. Field meanings: docs/spec/api.md. */
export interface KubeObject {
  kind?: string;
  apiVersion?: string;
  metadata: ObjectMeta;
  // `any` on purpose: objects are data, and code reads them by path where it needs them.
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
