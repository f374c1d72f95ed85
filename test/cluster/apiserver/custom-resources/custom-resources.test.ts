/**
 * CustomResourceDefinitions and their objects, against what a real API server answered to the same requests
 * (test/kubernetes/custom-resources). The sequences are named after the rules that they show.
 */
import { readFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../../cluster/index.ts";
import { written } from "../../../kubernetes/apply/play.ts";
import { type OwnServer, ownServer } from "../../../kubernetes/custom-resources/own-server.ts";
import { play } from "../../../kubernetes/custom-resources/play.ts";
import { SEQUENCES } from "../../../kubernetes/custom-resources/sequences.ts";
import { crds, widget, widgetDefinition } from "../../../kubernetes/custom-resources/widgets.ts";

const recorded = readFileSync(
  new URL("../../../kubernetes/custom-resources/recorded-answers.jsonl", import.meta.url),
  "utf8",
)
  .trimEnd()
  .split("\n");
const { send, settle } = ownServer();

it("the recording has an answer to every sequence", () => {
  expect(recorded.length).toBe(SEQUENCES.length);
});

it("the recording has as many requests as docs/clients.md says", () => {
  const requests = SEQUENCES.reduce((sum, { steps }) => sum + steps.length, 0);
  const page = readFileSync(new URL("../../../../docs/clients.md", import.meta.url), "utf8");
  expect(page).toContain(`**Custom resources**: ${requests} requests about`);
});

it.each(SEQUENCES.map((sequence, index) => [sequence.name, sequence, index] as const))(
  "%s",
  async (_name, sequence, index) => {
    const answers = await play(sequence, `g${index}.example.com`, send, settle);
    const expected = JSON.parse(recorded[index]!) as { answers: readonly unknown[] };
    sequence.steps.forEach((step, place) =>
      expect({ step, answer: answers[place] }).toEqual({ step, answer: expected.answers[place] }),
    );
    expect(JSON.parse(written(sequence, answers))).toEqual(expected);
  },
);

const group = "other.example.com";
const widgets = `/apis/${group}/v1/namespaces/default/widgets`;
let server: OwnServer;
/** Before each test of a describe: a server with the definition of widgets. */
function useWidgets(): void {
  beforeEach(async () => {
    server = ownServer();
    const columns = [
      { name: "Size", type: "string", jsonPath: ".spec.size" },
      { name: "Replicas", type: "integer", jsonPath: ".spec.replicas", priority: 1 },
      { name: "Second", type: "string", jsonPath: '.spec.parts[?(@.name=="b")].count' },
      { name: "Since", type: "date", jsonPath: ".metadata.creationTimestamp" },
    ];
    await server.send("POST", crds, widgetDefinition(group, { additionalPrinterColumns: columns }));
    await server.settle();
  });
}

describe("a custom resource", () => {
  useWidgets();

  it("the table has the columns of the definition", async () => {
    const parts = [{ name: "a" }, { name: "b", count: 7 }];
    await server.send("POST", widgets, widget(group, "w", { parts }));
    const { body } = await server.send(
      "GET",
      widgets,
      undefined,
      undefined,
      "application/json;as=Table;v=v1;g=meta.k8s.io",
    );
    const { columnDefinitions, rows } = body as unknown as Table;
    expect(columnDefinitions.map(({ name, priority }) => [name, priority])).toEqual([
      ["Name", 0],
      ["Size", 0],
      ["Replicas", 1],
      ["Second", 0],
      ["Since", 0],
    ]);
    expect(rows.map(({ cells }) => cells)).toEqual([["w", "small", 1, "7", "0s"]]);
  });

  it("validation rules that cost too much are reported, and no other is evaluated", async () => {
    const { body } = await server.send("GET", `${crds}/widgets.${group}`);
    const crd = structuredClone(body) as any;
    const rule = (text: string): object => ({ rule: text });
    const { properties } = crd.spec.versions[0].schema.openAPIV3Schema.properties.spec;
    properties.words = { type: "array", items: { type: "string" } };
    properties.words["x-kubernetes-validations"] = [
      rule("self.all(a, self.all(b, self.all(c, a == b || a != c || true)))"),
      rule("false"),
    ];
    expect((await server.send("PUT", `${crds}/widgets.${group}`, crd)).status).toBe(200);
    await server.settle();
    const words = Array.from({ length: 300 }, (_, index) => String(index));
    const answer = await server.send("POST", widgets, widget(group, "w", { words }));
    expect(answer.body).toMatchObject({
      code: 422,
      details: {
        causes: [
          {
            field: "spec.words",
            message: expect.stringContaining(
              "'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call",
            ),
          },
        ],
      },
    });
  });

  it("a pattern has Go's syntax, and takes no longer than its text", async () => {
    const withPattern = async (pattern: string): Promise<any> => {
      const { body } = await server.send("GET", `${crds}/widgets.${group}`);
      const crd = structuredClone(body) as any;
      crd.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.word = { type: "string", pattern };
      const answer = await server.send("PUT", `${crds}/widgets.${group}`, crd);
      await server.settle();
      return answer.body;
    };
    expect((await withPattern("(?=a)")).message).toContain(
      "must be a valid regular expression, but isn't: error parsing regexp: invalid or unsupported Perl syntax: `(?=`",
    );
    await withPattern("^(\\pL+)+$");
    const [good, bad] = await Promise.all(
      ["é", "!"].map((end) =>
        server.send("POST", widgets, widget(group, "w", { word: `${"a".repeat(50_000)}${end}` })),
      ),
    );
    expect([good!.status, bad!.status]).toEqual([201, 422]);
  });

  it("its versions belong to one manager as a whole, also with schemas in a schema", async () => {
    const apply = (manager: string, spec: object) => {
      const openAPIV3Schema = { type: "object", properties: { spec } };
      const definition = widgetDefinition("a.example.com", { schema: { openAPIV3Schema }, subresources: {} });
      const path = `${crds}/widgets.a.example.com?fieldManager=${manager}&force=true`;
      return server.send("PATCH", path, definition, "application/apply-patch+yaml");
    };
    const names = { "f:categories": {}, "f:kind": {}, "f:plural": {}, "f:shortNames": {} };
    const shared = { "f:group": {}, "f:names": names, "f:scope": {} };
    const ownersOf = ({ body }: { body: Json }): unknown =>
      (body as any).metadata.managedFields
        .filter(({ operation }: any) => operation === "Apply")
        .map(({ manager, fieldsV1 }: any) => [manager, fieldsV1]);

    const first = await apply("one", { type: "array", items: { type: "string" } });
    expect([first.status, ownersOf(first)]).toEqual([201, [["one", { "f:spec": { ...shared, "f:versions": {} } }]]]);
    const second = await apply("two", { type: "object", additionalProperties: { type: "string" } });
    expect([second.status, ownersOf(second)]).toEqual([
      200,
      [
        ["one", { "f:spec": shared }],
        ["two", { "f:spec": { ...shared, "f:versions": {} } }],
      ],
    ]);
  });

  it("additionalProperties are a schema, or a boolean", async () => {
    for (const additionalProperties of [5, "x", ["a"]]) {
      const openAPIV3Schema = { type: "object", properties: { spec: { type: "object", additionalProperties } } };
      const { status, body } = await server.send(
        "POST",
        crds,
        widgetDefinition("b.example.com", { schema: { openAPIV3Schema } }),
      );
      expect([status, (body as { message?: string }).message]).toEqual([
        400,
        'CustomResourceDefinition in version "v1" cannot be handled as a CustomResourceDefinition: boolean or JSON schema expected',
      ]);
    }
  });
});

describe("the definition of a custom resource", () => {
  useWidgets();

  it("discovery has it, with the subresources, until the definition is gone", async () => {
    const resources = async (): Promise<string[]> => {
      const { body } = await server.send("GET", `/apis/${group}/v1`);
      return ((body as { resources?: { name: string }[] }).resources ?? []).map(({ name }) => name);
    };
    expect(await resources()).toEqual(["widgets", "widgets/status", "widgets/scale"]);
    await server.send("POST", widgets, widget(group, "w"));
    await server.send("DELETE", `${crds}/widgets.${group}`);
    await server.settle();
    expect((await server.send("GET", `${crds}/widgets.${group}`)).status).toBe(404);
    expect((await server.send("GET", "/apis")).body).not.toMatchObject({
      groups: expect.arrayContaining([expect.objectContaining({ name: group })]),
    });
  });

  it("OpenAPI describes it, with what every object has", async () => {
    const { body } = await server.send("GET", `/openapi/v3/apis/${group}/v1`);
    const { paths, components } = body as unknown as OpenApi;
    const names = Object.keys(components.schemas);
    expect(Object.keys(paths)).toEqual([
      `/apis/${group}/v1/namespaces/{namespace}/widgets`,
      `/apis/${group}/v1/namespaces/{namespace}/widgets/{name}`,
      `/apis/${group}/v1/namespaces/{namespace}/widgets/{name}/scale`,
      `/apis/${group}/v1/namespaces/{namespace}/widgets/{name}/status`,
      `/apis/${group}/v1/widgets`,
    ]);
    expect(names).toEqual(expect.arrayContaining(["com.example.other.v1.Widget", "com.example.other.v1.WidgetList"]));
    const { properties, "x-kubernetes-group-version-kind": kinds } = components.schemas["com.example.other.v1.Widget"]!;
    expect(kinds).toEqual([{ group, kind: "Widget", version: "v1" }]);
    expect(Object.keys(properties)).toEqual(["apiVersion", "kind", "metadata", "spec", "status"]);
    expect(properties["spec"]).toMatchObject({
      required: ["size"],
      properties: {
        port: { anyOf: [{ type: "integer" }, { type: "string" }], "x-kubernetes-int-or-string": true },
        replicas: { type: "integer", format: "int32", default: 1, maximum: 10, minimum: 0 },
        template: { required: ["kind", "apiVersion"], properties: { kind: { type: "string" } } },
      },
    });
    expect((await server.send("GET", "/openapi/v3")).body).toMatchObject({
      paths: { [`apis/${group}/v1`]: expect.anything() },
    });
  });

  it("an open watch follows a change of the schema", async () => {
    const seen: JsonObject[] = [];
    const answer = server.cluster.handle({ method: "GET", path: `${widgets}?watch=true`, headers: {} });
    if ("body" in answer) throw new Error(String(answer.body));
    answer.subscribe({
      data: () => {},
      event: (_type, object) => seen.push(object as unknown as JsonObject),
      end() {},
    });
    const { body } = await server.send("GET", `${crds}/widgets.${group}`);
    const definition = structuredClone(body) as any;
    definition.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.fresh = { type: "string" };
    await server.send("PUT", `${crds}/widgets.${group}`, definition);
    await server.settle();
    await server.send("POST", widgets, widget(group, "w", { fresh: "here" }));
    expect(seen).toMatchObject([{ spec: { fresh: "here" } }]);
  });

  it("names that another definition has are not accepted, until it goes", async () => {
    const other = structuredClone(widgetDefinition(group)) as any;
    other.metadata.name = `gadgets.${group}`;
    other.spec.names = { plural: "gadgets", kind: "Gadget", shortNames: ["wd"] };
    await server.send("POST", crds, other);
    await server.settle();
    const conditions = async (): Promise<Json> => {
      const { body } = await server.send("GET", `${crds}/gadgets.${group}`);
      return (body as any).status.conditions.map(({ type, status, reason, message }: any) => [
        type,
        status,
        reason,
        message,
      ]);
    };
    expect(await conditions()).toEqual([
      ["NamesAccepted", "False", "ShortNamesConflict", '"wd" is already in use'],
      ["Established", "False", "NotAccepted", "not all names are accepted"],
    ]);
    expect((await server.send("GET", `/apis/${group}/v1/namespaces/default/gadgets`)).status).toBe(404);
    await server.send("DELETE", `${crds}/widgets.${group}`);
    await server.settle();
    expect(await conditions()).toMatchObject([
      ["NamesAccepted", "True", "NoConflicts", "no conflicts found"],
      ["Established", "True", "InitialNamesAccepted", "the initial names have been accepted"],
    ]);
  });

  it("a definition without versions is refused", async () => {
    const definition = widgetDefinition("none.example.com", {}, { versions: null });
    expect((await server.send("POST", crds, definition)).status).toBe(422);
  });

  it("what the server serves itself cannot be defined", async () => {
    const definition = structuredClone(widgetDefinition("batch")) as any;
    definition.metadata.name = "jobs.batch";
    definition.spec.names = { plural: "jobs", kind: "Job" };
    const { status, body } = await server.send("POST", crds, definition);
    expect(status).toBe(403);
    expect(body).toMatchObject({ message: expect.stringContaining("this server serves jobs.batch itself") });
  });
});

interface Table {
  readonly columnDefinitions: readonly { readonly name: string; readonly priority: number }[];
  readonly rows: readonly { readonly cells: readonly Json[] }[];
}

interface OpenApi {
  readonly paths: Readonly<Record<string, object>>;
  readonly components: {
    readonly schemas: Readonly<
      Record<string, { readonly properties: Readonly<Record<string, Json>>; "x-kubernetes-group-version-kind": Json }>
    >;
  };
}
