/**
 * The OpenAPI v3 document of a group version: kubectl explain shows it, kubectl reads it before it creates and applies,
 * and client generators use it. A document is built on first request.
 */
import { RELEASES } from "../../values/kubernetes-versions.ts";
import type { ResourceDefinition, ServerContext } from "../contract/context.ts";
import { pathOf, pathsOf, type Paths } from "./operations.ts";
import { Components, type Schema } from "./schemas.ts";
import type { TypeTexts } from "./type-texts.ts";

export interface OpenApiDocument {
  readonly openapi: "3.0.0";
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Paths;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>>; readonly securitySchemes: object };
}

/** What the documents are about. */
export type Described = Pick<ServerContext, "definitions" | "kubernetes">;

/** @returns undefined if the group version has no resource. @param path `apis/batch/v1` */
export function openapiDocument(server: Described, path: string, texts: TypeTexts): OpenApiDocument | undefined {
  const served = server.definitions.filter((definition) => pathOf(definition) === path);
  if (served.length === 0) return undefined;
  const components = new Components(served, texts, server.kubernetes);
  const paths: Paths = {};
  for (const definition of served) Object.assign(paths, pathsOf(definition, components));
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: RELEASES[server.kubernetes] },
    paths: sorted(paths),
    components: {
      schemas: sorted(components.schemas),
      securitySchemes: {
        BearerToken: {
          type: "apiKey",
          in: "header",
          name: "authorization",
          description: "Bearer Token authentication",
        },
      },
    },
  };
}

/** Group versions as paths, in the order of their resources. */
export function openapiPaths(definitions: readonly ResourceDefinition[]): string[] {
  return [...new Set(definitions.map(pathOf))];
}

function sorted<T>(members: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(members).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
