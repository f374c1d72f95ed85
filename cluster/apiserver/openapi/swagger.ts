/**
 * The OpenAPI v2 document of all group versions: kubectl still checks lists and unknown kinds against it. It is derived
 * from the v3 documents. Leaves out what v2 cannot express: defaults beside a reference, and values of two types, which
 * are strings here.
 */
import { RELEASES } from "../../values/kubernetes-versions.ts";
import { type Described, openapiDocument, openapiPaths } from "./document.ts";
import type { Schema } from "./schemas.ts";
import type { TypeTexts } from "./type-texts.ts";

type Members = Readonly<Record<string, any>>;

const METHODS = ["delete", "get", "patch", "post", "put"];
const KINDS = "x-kubernetes-group-version-kind";

export function swagger(server: Described, texts: TypeTexts): object {
  const schemas: Record<string, Schema> = {};
  const paths: Record<string, object> = {};
  for (const path of openapiPaths(server.definitions)) {
    const document = openapiDocument(server, path, texts)!;
    for (const [name, schema] of Object.entries(document.components.schemas))
      schemas[name] = withKindsOf(schemas[name], asDefinition(schema));
    for (const [name, item] of Object.entries(document.paths)) paths[name] = pathItem(item);
  }
  return {
    swagger: "2.0",
    info: { title: "Kubernetes", version: RELEASES[server.kubernetes] },
    paths,
    definitions: schemas,
    securityDefinitions: {
      BearerToken: { description: "Bearer Token authentication", type: "apiKey", name: "authorization", in: "header" },
    },
    security: [{ BearerToken: [] }],
  };
}

/** Options and watch events are kinds of each group; a v3 document only lists those of its group. */
function withKindsOf(known: Schema | undefined, schema: Schema): Schema {
  if (!known?.[KINDS]) return schema;
  const kinds = [...(known[KINDS] as object[]), ...((schema[KINDS] ?? []) as object[])];
  return { ...schema, [KINDS]: [...new Map(kinds.map((kind) => [JSON.stringify(kind), kind])).values()] };
}

function asDefinition(schema: Schema): Schema {
  const { allOf, default: _default, oneOf, properties, items, additionalProperties, $ref, ...rest } = schema as Members;
  const reference: string | undefined = $ref ?? allOf?.[0].$ref;
  return {
    ...rest,
    ...(reference && { $ref: reference.replace("#/components/schemas/", "#/definitions/") }),
    ...(oneOf && { type: "string" }),
    ...(items && { items: asDefinition(items) }),
    ...(additionalProperties && { additionalProperties: asDefinition(additionalProperties) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties as Members).map(([name, property]) => [name, asDefinition(property)]),
      ),
    }),
  };
}

function pathItem({ parameters, ...item }: Members): object {
  return {
    ...Object.fromEntries(METHODS.flatMap((method) => (item[method] ? [[method, operation(item[method])]] : []))),
    parameters: parameters.map(parameter),
  };
}

function operation({ parameters, requestBody, responses, ...rest }: Members): object {
  const bodies = Object.entries<Members>(requestBody?.content ?? {});
  const body = bodies[0] && {
    name: "body",
    in: "body",
    ...(requestBody.required && { required: true }),
    schema: asDefinition(bodies[0][1]["schema"]),
  };
  return {
    ...rest,
    consumes: bodies.length > 0 ? bodies.map(([type]) => type) : ["*/*"],
    produces: Object.keys(responses[200].content),
    schemes: ["https"],
    parameters: [...(body ? [body] : []), ...parameters.map(parameter)],
    responses: Object.fromEntries(Object.entries<Members>(responses).map(([code, answer]) => [code, response(answer)])),
  };
}

function parameter({ schema, ...rest }: Members): object {
  return { ...rest, ...schema };
}

function response({ description, content }: Members): object {
  const schema = Object.values<Members>(content ?? {})[0]?.["schema"] as Schema | undefined;
  return { description, ...(schema && { schema: asDefinition(schema) }) };
}
