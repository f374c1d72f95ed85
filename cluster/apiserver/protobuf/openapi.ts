/**
 * An OpenAPI v2 document in the protobuf that kubectl asks for: the messages of gnostic's OpenAPIv2.proto, with the
 * numbers of their fields. Leaves out what documents of Kubernetes do not have, such as limits of numbers and examples.
 */
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";

/** As clients ask for it. In a response the `@` is a dot, because Go cannot parse such a type. */
export const OPENAPI_MEDIA_TYPE = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

type Members = Readonly<Record<string, any>>;
type Fill = (writer: BinaryWriter) => void;

const METHODS = { get: 2, put: 3, post: 4, delete: 5, patch: 8 } as const;

export function encodeOpenapi(document: Members): Uint8Array {
  const writer = new BinaryWriter();
  text(writer, 1, document["swagger"]);
  message(writer, 2, (info) => {
    text(info, 1, document["info"].title);
    text(info, 2, document["info"].version);
  });
  message(writer, 8, (paths) => named(paths, 2, document["paths"], writePathItem));
  message(writer, 9, (definitions) => named(definitions, 1, document["definitions"], writeSchema));
  message(writer, 13, (security) => named(security, 1, document["securityDefinitions"], writeSecurity));
  return writer.finish();
}

function writePathItem(writer: BinaryWriter, item: Members): void {
  for (const [method, number] of Object.entries(METHODS))
    if (item[method]) message(writer, number, (operation) => writeOperation(operation, item[method]));
  writeParameters(writer, 9, item["parameters"]);
}

function writeOperation(writer: BinaryWriter, operation: Members): void {
  for (const tag of operation["tags"]) text(writer, 1, tag);
  text(writer, 3, operation["description"]);
  text(writer, 5, operation["operationId"]);
  for (const type of operation["produces"]) text(writer, 6, type);
  for (const type of operation["consumes"]) text(writer, 7, type);
  writeParameters(writer, 8, operation["parameters"]);
  message(writer, 9, (responses) => named(responses, 1, operation["responses"], writeResponse));
  for (const scheme of operation["schemes"]) text(writer, 10, scheme);
  writeExtensions(writer, 13, operation);
}

/** Each is the one of several messages that its place says: one for bodies, paths and queries. */
function writeParameters(writer: BinaryWriter, number: number, parameters: readonly Members[]): void {
  for (const parameter of parameters)
    message(writer, number, (item) =>
      message(item, 1, (either) => {
        if (parameter["in"] === "body") message(either, 1, (body) => writeBody(body, parameter));
        else
          message(either, 2, (other) =>
            parameter["in"] === "query"
              ? message(other, 3, (query) => writeParameter(query, parameter, 6, 20))
              : message(other, 4, (path) => writeParameter(path, parameter, 5, 19)),
          );
      }),
    );
}

function writeBody(writer: BinaryWriter, body: Members): void {
  text(writer, 2, body["name"]);
  text(writer, 3, body["in"]);
  flag(writer, 4, body["required"]);
  message(writer, 5, (schema) => writeSchema(schema, body["schema"]));
}

function writeParameter(writer: BinaryWriter, parameter: Members, typeNumber: number, uniqueNumber: number): void {
  flag(writer, 1, parameter["required"]);
  text(writer, 2, parameter["in"]);
  text(writer, 3, parameter["description"]);
  text(writer, 4, parameter["name"]);
  text(writer, typeNumber, parameter["type"]);
  flag(writer, uniqueNumber, parameter["uniqueItems"]);
}

function writeResponse(writer: BinaryWriter, answer: Members): void {
  message(writer, 1, (response) => {
    text(response, 1, answer["description"]);
    if (answer["schema"])
      message(response, 2, (item) => message(item, 1, (schema) => writeSchema(schema, answer["schema"])));
  });
}

function writeSchema(writer: BinaryWriter, schema: Members): void {
  text(writer, 1, schema["$ref"]);
  text(writer, 2, schema["format"]);
  text(writer, 4, schema["description"]);
  for (const field of schema["required"] ?? []) text(writer, 19, field);
  for (const value of schema["enum"] ?? []) message(writer, 20, (any) => yaml(any, value));
  if (schema["additionalProperties"])
    message(writer, 21, (item) => message(item, 1, (element) => writeSchema(element, schema["additionalProperties"])));
  if (schema["type"]) message(writer, 22, (type) => text(type, 1, schema["type"]));
  if (schema["items"])
    message(writer, 23, (item) => message(item, 1, (element) => writeSchema(element, schema["items"])));
  if (schema["properties"])
    message(writer, 25, (properties) => named(properties, 1, schema["properties"], writeSchema));
  writeExtensions(writer, 31, schema);
}

function writeSecurity(writer: BinaryWriter, security: Members): void {
  message(writer, 2, (key) => {
    text(key, 1, security["type"]);
    text(key, 2, security["name"]);
    text(key, 3, security["in"]);
    text(key, 4, security["description"]);
  });
}

/** `x-kubernetes-…`, with values as YAML. */
function writeExtensions(writer: BinaryWriter, number: number, members: Members): void {
  const extensions = Object.entries(members).filter(([name]) => name.startsWith("x-"));
  named(writer, number, Object.fromEntries(extensions), yaml);
}

function yaml(writer: BinaryWriter, value: unknown): void {
  text(writer, 2, `${JSON.stringify(value)}\n`);
}

/** Messages of a name and a value. */
function named<T>(
  writer: BinaryWriter,
  number: number,
  members: Readonly<Record<string, T>>,
  write: (writer: BinaryWriter, value: T) => void,
): void {
  for (const [name, value] of Object.entries(members))
    message(writer, number, (pair) => {
      text(pair, 1, name);
      message(pair, 2, (own) => write(own, value));
    });
}

function message(writer: BinaryWriter, number: number, fill: Fill): void {
  writer.tag(number, WireType.LengthDelimited).fork();
  fill(writer);
  writer.join();
}

function text(writer: BinaryWriter, number: number, value: string | undefined): void {
  if (value !== undefined) writer.tag(number, WireType.LengthDelimited).string(value);
}

function flag(writer: BinaryWriter, number: number, value: boolean | undefined): void {
  if (value === true) writer.tag(number, WireType.Varint).bool(true);
}
