/**
 * Server-side apply and managedFields, against what a real API server answered to the same sequences of writes
 * (test/kubernetes/apply). The sequences are named after the rules that they show.
 */
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { MAX_YAML_LENGTH } from "../../../../cluster/apiserver/apply/read-configuration.ts";
import { ownServer } from "../../../kubernetes/apply/own-server.ts";
import { play, type Send, written } from "../../../kubernetes/apply/play.ts";
import { SEQUENCES } from "../../../kubernetes/apply/sequences.ts";

const recorded = readFileSync(new URL("../../../kubernetes/apply/recorded-answers.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n");

describe("server-side apply", () => {
  let own: Send;
  beforeAll(async () => {
    own = await ownServer();
  });

  it("has an answer to every sequence", () => {
    expect(recorded.length).toBe(SEQUENCES.length);
    expect(new Set(SEQUENCES.map(({ name }) => name)).size).toBe(SEQUENCES.length);
  });

  it("takes a long configuration as JSON, and refuses it as YAML", async () => {
    const apply = (name: string, body: string) =>
      own(
        "PATCH",
        `/api/v1/namespaces/default/configmaps/${name}?fieldManager=me`,
        body,
        "application/apply-patch+yaml",
      );
    const data = { a: "x".repeat(MAX_YAML_LENGTH) };
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "long" }, data };
    expect(await apply("long", JSON.stringify(object))).toMatchObject({ status: 201 });
    const { status, body } = await apply("long", `data: {a: ${data.a}}`);
    expect(status).toBe(400);
    expect(body).toMatchObject({
      message: `error decoding patch: the YAML has ${MAX_YAML_LENGTH + 11} characters; allowed are ${MAX_YAML_LENGTH}, and more as JSON`,
    });
  });

  it.each(SEQUENCES.map((sequence, index) => [sequence.name, sequence, index] as const))(
    "%s",
    async (_name, sequence, index) => {
      const answers = await play(sequence, `s${index}`, own);
      const text = written(sequence, answers);
      // What differs is easier to see in the values than in the texts.
      expect(JSON.parse(text)).toEqual(JSON.parse(recorded[index]!));
      expect(text).toBe(recorded[index]);
    },
  );
});
