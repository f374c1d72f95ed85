/** What answers looks in the Worker: without the whole engine, and when it comes. */
import { readFileSync } from "node:fs";
import { afterEach, expect, test, vi } from "vitest";
import { Engine } from "../../../bindings/js/engine.ts";
import { loadWholeEngine, prepareLook, viewAt } from "../../../host-browser/worker/looks.ts";
import { modulePath } from "../../../scripts/build-engine.ts";
import { jobYaml, Run } from "../history/run.ts";

const STATUS = { atMs: 5_000, job: 0, panel: "status" } as const;
const ACCOUNT = { ...STATUS, panel: "account" } as const;

afterEach(() => vi.unstubAllGlobals());

test("only a look that needs the engine waits for it, is answered without it, and fetches it again", async () => {
  const { history } = new Run(jobYaml("backoffLimit: 0", '{ "runMs": 1000, "exitCode": 3 }')).to(5_000);
  const fetched = vi.fn<() => Promise<Response>>().mockRejectedValueOnce(new Error("no network"));
  fetched.mockImplementation(() => Promise.resolve(new Response(readFileSync(modulePath("engine")))));
  vi.stubGlobal("fetch", fetched);

  expect(prepareLook(STATUS, Engine)).toBeUndefined();
  expect(fetched).not.toHaveBeenCalled();
  await prepareLook(ACCOUNT, Engine);
  expect(viewAt(history, ACCOUNT).account).toMatchObject({ isThere: false, count: 1 });
  await prepareLook(ACCOUNT, Engine);
  expect(viewAt(history, ACCOUNT).account!.rows[0]!.endedBy).toBe("Exited");
  expect(prepareLook(ACCOUNT, Engine)).toBeUndefined();
  expect(prepareLook(undefined, Engine)).toBeUndefined();
  await loadWholeEngine();
  expect(fetched).toHaveBeenCalledTimes(2);
});
