/** YAML in front of a cluster: what a client that speaks it sends and gets. */
import { beforeEach, describe, expect, it } from "vitest";
import type { ApiResponse, Method } from "../../../bindings/js/host.ts";
import { Cluster, VirtualClock } from "../../../cluster/index.ts";
import { withYaml } from "../../../host-node/server/yaml.ts";

const YAML = "application/yaml";
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const MANIFEST = 'kind: ConfigMap\nmetadata:\n  name: c\ndata:\n  a: "1"\n';

let cluster: Cluster;
beforeEach(() => {
  cluster = new Cluster({ clock: new VirtualClock(Date.UTC(2026, 0, 1)), random: () => 0.5, admission: () => "{}" });
});

function send(method: Method, path: string, { body = "", accept = YAML, type = YAML } = {}): ApiResponse {
  const headers = { accept, ...(body && { "content-type": type }) };
  return withYaml(cluster).handle({ method, path, headers, ...(body && { body }) }) as ApiResponse;
}

describe("an object in YAML", () => {
  it("is created, and answered in the form that people read", () => {
    const answer = send("POST", CONFIG_MAPS, { body: MANIFEST });
    expect(answer.status).toBe(201);
    expect(answer.headers["content-type"]).toBe(YAML);
    expect(answer.body).toMatch(
      /^apiVersion: v1\ndata:\n {2}a: "1"\nkind: ConfigMap\nmetadata:\n {2}creationTimestamp: /,
    );
  });

  it("is created for a client that wants JSON", () => {
    const answer = send("POST", CONFIG_MAPS, { body: MANIFEST, accept: "application/json" });
    expect(answer.headers["content-type"]).toBe("application/json");
    expect(JSON.parse(String(answer.body))).toMatchObject({ data: { a: "1" } });
  });

  it("is changed, and deleted with options", () => {
    send("POST", CONFIG_MAPS, { body: MANIFEST });
    expect(send("PUT", `${CONFIG_MAPS}/c`, { body: MANIFEST.replace('"1"', '"2"') }).body).toContain('a: "2"');
    expect(send("DELETE", `${CONFIG_MAPS}/c`, { body: "dryRun: [All]" }).status).toBe(200);
    expect(send("GET", `${CONFIG_MAPS}/c`).status).toBe(200);
    expect(send("DELETE", `${CONFIG_MAPS}/c`).status).toBe(200);
    expect(send("GET", `${CONFIG_MAPS}/c`).body).toContain('message: configmaps "c" not found\n');
  });

  it("is refused with the place if it is no YAML, and shown", () => {
    const { status, body } = send("POST", CONFIG_MAPS, { body: "a: [", accept: "" });
    expect(status).toBe(400);
    expect(JSON.parse(String(body)).message).toMatch(/must be of type ConfigMap\): yaml: line 1: .* \(613a205b\)$/);
  });
});

describe("a key that is there twice", () => {
  const body = MANIFEST.replace("\ndata:", "\ndata:\n  a: x");

  it("is warned of, and the last one counts", () => {
    const answer = send("POST", CONFIG_MAPS, { body });
    expect(answer.body).toContain('a: "1"');
    expect(answer.headers["warning"]).toEqual(['299 - "line 6: key \\"a\\" already set in map"']);
    expect(send("POST", `${CONFIG_MAPS}?dryRun=All&fieldValidation=Ignore`, { body }).headers["warning"]).toBe(
      undefined,
    );
  });

  it("is warned of within the limits of headers", () => {
    const many = MANIFEST.replace("\ndata:", `\ndata:${"\n  a: x".repeat(1000)}`);
    const warnings = send("POST", CONFIG_MAPS, { body: many }).headers["warning"] as readonly string[];
    expect(warnings[0]).toBe('299 - "line 6: key \\"a\\" already set in map"');
    expect(warnings.join("").length).toBeLessThan(10_000);
  });

  it("is refused if the client is strict", () => {
    const answer = send("POST", `${CONFIG_MAPS}?fieldValidation=Strict`, { body, accept: "application/json" });
    expect(answer.status).toBe(400);
    expect(JSON.parse(String(answer.body)).message).toContain(
      'cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal errors:\n  line 6: key "a" already set',
    );
  });
});

describe("an answer", () => {
  it("stays JSON if it is too large for YAML", () => {
    const large = { metadata: { name: "large" }, data: { a: "x".repeat(600 * 1024) } };
    const answer = send("POST", CONFIG_MAPS, { body: JSON.stringify(large), type: "application/json" });
    expect(answer.headers["content-type"]).toBe(YAML);
    expect(JSON.parse(String(answer.body))).toMatchObject(large);
  });

  it("is a stream of JSON for a watch, which has no form in YAML", () => {
    const { headers } = send("GET", `${CONFIG_MAPS}?watch=1`, { accept: `${YAML}, application/json` });
    expect(headers["content-type"]).toBe("application/json");
  });

  it("of discovery can be YAML, too", () => {
    expect(send("GET", "/api").body).toContain("kind: APIVersions\n");
  });
});
