/**
 * The types of what the stores of known resources hold. Code that names a resource gets its objects by their type; code
 * that handles any resource gets open objects, and the whole Store.
 *
 * Invariant: the store of a resource has objects of one kind only, each as it was decoded. Leaves out the kinds whose
 * fields no code of the server reads.
 */
import type {
  ClusterRole,
  ClusterRoleBinding,
  LimitRange,
  Namespace,
  Node,
  Pod,
  PodDisruptionBudget,
  PodGroup,
  PriorityClass,
  ResourceQuota,
  Role,
  RoleBinding,
  Secret,
  ServiceAccount,
  StorageClass,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from "../../values/kinds.ts";
import type { KubeObject, TypedObject } from "../../values/types.ts";
import type { Owned, Store, Stored, StoreEvent } from "../storage/store.ts";

/** The kinds by `group/resource`. */
interface KindsByResource {
  "/limitranges": LimitRange;
  "/namespaces": Namespace;
  "/nodes": Node;
  "/pods": Pod;
  "/resourcequotas": ResourceQuota;
  "/secrets": Secret;
  "/serviceaccounts": ServiceAccount;
  "policy/poddisruptionbudgets": PodDisruptionBudget;
  "rbac.authorization.k8s.io/clusterrolebindings": ClusterRoleBinding;
  "rbac.authorization.k8s.io/clusterroles": ClusterRole;
  "rbac.authorization.k8s.io/rolebindings": RoleBinding;
  "rbac.authorization.k8s.io/roles": Role;
  "scheduling.k8s.io/podgroups": PodGroup;
  "scheduling.k8s.io/priorityclasses": PriorityClass;
  "storage.k8s.io/storageclasses": StorageClass;
  "admissionregistration.k8s.io/validatingadmissionpolicies": ValidatingAdmissionPolicy;
  "admissionregistration.k8s.io/validatingadmissionpolicybindings": ValidatingAdmissionPolicyBinding;
}

/** The kind of a resource: KubeObject if it is not known which resource it is. */
export type KindOf<Group extends string, Resource extends string> = `${Group}/${Resource}` extends keyof KindsByResource
  ? KindsByResource[`${Group}/${Resource}`]
  : KubeObject;

/** What `server.store` gives: the whole Store if the kind is not known. */
export type StoreFor<Kind extends TypedObject> = TypedObject extends Kind ? Store : StoreOf<Kind>;

/** The store of a resource whose kind is known. See Store. */
export interface StoreOf<Kind extends TypedObject> {
  readonly latest: Kind | undefined;
  get(key: string): StoredOf<Kind> | undefined;
  put(key: string, object: Kind, isFromHere?: boolean, owned?: Owned): StoredOf<Kind>;
  scan(prefix: string, from: string): Iterable<StoredOf<Kind>>;
  subscribe(listener: (event: StoreEventOf<Kind>) => void): () => void;
}

/** See Stored. */
export interface StoredOf<Kind extends TypedObject> extends Pick<Stored, "key" | "owned" | "revision"> {
  readonly object: Kind;
  readonly bare: Kind;
}

/** See StoreEvent. */
export interface StoreEventOf<Kind extends TypedObject> extends Pick<StoreEvent, "revision" | "type"> {
  readonly stored: StoredOf<Kind>;
  readonly previous: StoredOf<Kind> | undefined;
}
