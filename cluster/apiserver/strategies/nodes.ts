/**
 * The rules of Nodes. Leaves out swap, declared features, and where a kubelet's configuration comes from; of addresses
 * of pods only that they stay. Source: pkg/apis/core/validation, ValidateNode and ValidateNodeUpdate.
 */
import type { Node, NodeSpec, Taint } from "../../values/kinds.ts";
import type { JsonObject } from "../../values/types.ts";
import type { Strategy } from "../contract/context.ts";
import { deepEqual } from "../../values/json.ts";
import { labelValueErrors, qualifiedNameErrors } from "../../values/names.ts";
import type { FieldError } from "../contract/status-errors.ts";
import { keepSpec } from "../verbs/update.ts";
import { isAhead } from "../../values/kubernetes-changes.ts";
import type { ServedVersion } from "../../values/kubernetes-versions.ts";
import { DROPPED_OF_NODE_SPEC, type Gates, withoutDroppedFields } from "./dropped-fields.ts";

const EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export const nodeStrategy: Strategy<Node> = {
  prepareCreate: (node, { server }) => withDefaults(withoutDropped(node, undefined, server)),
  prepareUpdate: (node, current, { server }) => withDefaults(withoutDropped(node, current, server)),
  prepareSubresourceUpdate: (node, current) => withDefaults(keepSpec(node, current)),
  validate(node, current, { server }) {
    const { spec = {} } = node;
    if (current === undefined) return taintErrors(spec.taints);
    const before = current.spec ?? {};
    const own = [...addressErrors(node), ...keptErrors(spec, before)];
    const ofProvider = providerErrors(spec, before, server.kubernetes);
    const ofTaints = taintErrors(spec.taints);
    return isAhead("declared-rules", server.kubernetes)
      ? [...own, ...ofProvider, ...ofTaints]
      : [...own, ...ofTaints, ...ofProvider];
  },
};

function withoutDropped(node: Node, current: Node | undefined, gates: Gates): Node {
  return {
    ...node,
    ...(node.spec && { spec: withoutDroppedFields(DROPPED_OF_NODE_SPEC, node.spec, current?.spec, gates) }),
  };
}

/**
 * The old field podCIDR is the first of podCIDRs. No kubelet reads its configuration from the API any more. Allocatable
 * defaults to all of the capacity.
 */
function withDefaults(node: Node): Node {
  const { podCIDR, podCIDRs } = node.spec ?? {};
  const { capacity, allocatable } = node.status ?? {};
  const { configSource: _dropped, ...spec } = node.spec ?? {};
  const cidrs = podCIDR !== undefined && podCIDRs?.[0] !== podCIDR ? [podCIDR] : podCIDRs;
  return {
    ...node,
    ...(node.spec && { spec: { ...spec, ...(cidrs && { podCIDR: cidrs[0], podCIDRs: cidrs }) } }),
    ...(capacity && !allocatable && { status: { ...node.status, allocatable: capacity } }),
  };
}

function addressErrors({ status }: Node): FieldError[] {
  const addresses = status?.addresses ?? [];
  return addresses.flatMap((address, place) =>
    addresses.findIndex((other) => deepEqual(other, address)) === place
      ? []
      : [
          {
            kind: "Duplicate",
            field: `status.addresses[${place}]`,
            value: inGo(address, ["type", "address"]),
          } as const,
        ],
  );
}

/** A struct in an error has the names of Go's fields. */
function inGo<Struct>(struct: Struct, members: readonly (keyof Struct & string)[]): JsonObject {
  return Object.fromEntries(members.map((name) => [name[0]!.toUpperCase() + name.slice(1), struct[name] ?? ""]));
}

/** What may be set once. */
function keptErrors(spec: NodeSpec, current: NodeSpec): FieldError[] {
  return [...(current.podCIDRs && !deepEqual(spec.podCIDRs, current.podCIDRs) ? [refused("podCIDRs", "podCIDR")] : [])];
}

/** Since 1.37 the rule is declared with the type. */
function providerErrors({ providerID }: NodeSpec, current: NodeSpec, kubernetes: ServedVersion): FieldError[] {
  if (!current.providerID || providerID === current.providerID) return [];
  if (isAhead("declared-rules", kubernetes)) return [refused("providerID")];
  const detail = "field cannot be modified once set";
  return [{ kind: "Invalid", field: "spec.providerID", value: null, detail }];
}

function refused(field: string, name = field): FieldError {
  return {
    kind: "Forbidden",
    field: `spec.${field}`,
    detail: `node updates may not change ${name} except from "" to valid`,
  };
}

function taintErrors(taints: readonly Taint[] = []): FieldError[] {
  const seen = new Set<string>();
  return taints.flatMap((taint, place) => {
    const { key = "", value = "", effect = "" } = taint;
    const field = `metadata.taints[${place}]`;
    const pair = `${effect} ${key}`;
    const isRepeated = seen.has(pair);
    seen.add(pair);
    const values = labelValueErrors(value).join(";");
    return [
      ...qualifiedNameErrors(key).map(
        (detail) => ({ kind: "Invalid", field: `${field}.key`, value: key, detail }) as const,
      ),
      ...(values === "" ? [] : [{ kind: "Invalid", field: `${field}.value`, value, detail: values } as const]),
      ...effectErrors(effect, `${field}.effect`),
      ...(isRepeated
        ? [
            {
              kind: "Duplicate",
              field,
              value: { ...inGo(taint, ["key", "value", "effect"]), TimeAdded: null },
              detail: "taints must be unique by key and effect pair",
            } as const,
          ]
        : []),
    ];
  });
}

function effectErrors(effect: string, field: string): FieldError[] {
  if (effect === "") return [{ kind: "Required", field }];
  const supported = EFFECTS.map((name) => `"${name}"`).join(", ");
  return EFFECTS.includes(effect)
    ? []
    : [{ kind: "NotSupported", field, value: effect, detail: `supported values: ${supported}` }];
}
