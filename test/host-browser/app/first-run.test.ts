/** What waits for the first picture is called once, whatever becomes of the run. */
import { expect, test } from "vitest";
import { whenFirstRunIsKnown } from "../../../host-browser/app/first-run.ts";
import { Session } from "../../../host-browser/app/session.ts";
import { progress, SCENARIO } from "./chunks.ts";

test.each(["is shown", "is refused", "fails"])("the first run that %s is known once", (how) => {
  const session = new Session(() => undefined);
  let times = 0;
  whenFirstRunIsKnown(session, () => times++);
  session.load(SCENARIO);
  expect(times).toBe(0);
  if (how === "is refused") session.handle({ kind: "refused", run: 1, problems: [] });
  else if (how === "fails") session.handle({ kind: "fatal", run: 1, message: "unreachable" });
  session.load({ ...SCENARIO, seed: 2 });
  for (const nowMs of [10, 20, 30]) session.handle(progress(2, nowMs));
  expect(times).toBe(1);
});
