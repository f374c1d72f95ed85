/** A custom resource to try: the definition of Widgets, and objects of it. */
import type { Json } from "../../../cluster/index.ts";

export const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** The schema of a Widget. */
export const widgetSchema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      required: ["size"],
      properties: {
        size: { type: "string", enum: ["small", "large"] },
        replicas: { type: "integer", format: "int32", minimum: 0, maximum: 10, default: 1 },
        name: { type: "string", pattern: "^[a-z]+$", maxLength: 8, minLength: 2 },
        port: { "x-kubernetes-int-or-string": true },
        note: { type: "string", nullable: true },
        labels: { type: "object", additionalProperties: { type: "string" } },
        tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set", maxItems: 3 },
        parts: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
          items: {
            type: "object",
            required: ["name"],
            properties: { name: { type: "string" }, count: { type: "integer", default: 1 } },
          },
        },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        template: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          properties: { spec: { type: "object", properties: { a: { type: "string" } } } },
        },
        choice: {
          type: "object",
          properties: { a: { type: "string" }, b: { type: "string" } },
          oneOf: [{ required: ["a"] }, { required: ["b"] }],
        },
      },
    },
    status: {
      type: "object",
      properties: { phase: { type: "string" }, replicas: { type: "integer" }, selector: { type: "string" } },
    },
  },
};

/**
 * A definition of Widgets in a separate group.
 * @param version what its one version has beside the schema
 */
export function widgetDefinition(group: string, version: object = {}, spec: object = {}): Json {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget", shortNames: ["wd"], categories: ["all"] },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: widgetSchema },
          subresources: {
            status: {},
            scale: {
              specReplicasPath: ".spec.replicas",
              statusReplicasPath: ".status.replicas",
              labelSelectorPath: ".status.selector",
            },
          },
          ...version,
        },
      ],
      ...spec,
    },
  };
}

export function widget(group: string, name: string, spec: object = {}, rest: object = {}): Json {
  return {
    apiVersion: `${group}/v1`,
    kind: "Widget",
    metadata: { name },
    spec: { size: "small", ...spec },
    ...rest,
  };
}
