/**
 * The kinds that clients expect, on a real API server and on the in-memory one: the same discovery entries, and the
 * same answers when objects are created, printed, changed and deleted.
 *
 * The first answers about each object are kept in recorded-answers.jsonl, with which `npm test` compares without a real
 * server (test/cluster/apiserver/registry/more-kinds.test.ts). To update them:
 *
 *     npm run test:cluster -- kinds/kinds --update
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { whyUnavailable } from "../binaries/binaries.ts";
import { type Answer, BothServers } from "../both-servers.ts";
import { kindCases } from "./objects.ts";
import { changeAndDelete, createAndPrint, objects } from "./play.ts";

describe.skipIf(whyUnavailable() !== undefined)("kinds on a real API server and on the in-memory one", () => {
  let servers: BothServers;
  beforeAll(async () => {
    // No controller takes the finalizers of volumes and claims off.
    servers = await BothServers.start({ withoutAdmissionPlugins: ["StorageObjectInUseProtection"] });
  });
  afterAll(() => servers?.stop());

  it.each(kindCases.map((kind) => [kind.resource, kind] as const))(
    "%s in the discovery",
    async (resource, { root }) => {
      const { upstream, stint } = await servers.ask({ method: "GET", path: root });
      const entries = ({ body }: Answer): object[] =>
        body.resources
          .filter(({ name }: { name: string }) => name === resource || name === `${resource}/status`)
          .map(({ storageVersionHash: _hash, ...entry }: any) => entry);
      expect(entries(stint)).toEqual(entries(upstream));
    },
  );

  it("are recorded as the real server answers", async () => {
    const lines: string[] = [];
    for (const [name, kind, object] of objects)
      lines.push(JSON.stringify({ name, answers: await createAndPrint(servers.upstream, kind, object) }));
    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("recorded-answers.jsonl");
  });

  it.each(objects)("%s", async (_name, kind, object) => {
    await createAndPrint(servers.stint, kind, object);
    expect(await changeAndDelete(servers.stint, kind, object)).toEqual(
      await changeAndDelete(servers.upstream, kind, object),
    );
  });
});
