/** The patches that `account` proposes for incidents: with that of the Job or the CronJob, the Job completes. */
import { expect, test } from "vitest";
import type { Remedy } from "../../bindings/js/engine.ts";
import { applyStrategicMergePatch } from "../../cluster/apiserver/patch/strategic-merge-patch.ts";
import { structType } from "../../cluster/apiserver/schema/schema.ts";
import type { JsonObject, KubeObject } from "../../cluster/values/types.ts";
import { type Incident, incidentNames, readIncident } from "../../host-node/incidents/incident.ts";
import { play } from "../../host-node/incidents/play.ts";

/** A limit is doubled, which may have to be done again. */
const MAX_TRIES = 6;

const incidents = incidentNames().map(readIncident);

async function proposed(incident: Incident): Promise<readonly Remedy[]> {
  const { job, pods, events, engine, nowMs } = await play(incident, false);
  return job === undefined ? [] : engine.account({ job, pods, events }, nowMs).remedies;
}

/** The incident with the patch in its manifest; undefined: it is for an object that the incident does not have. */
function patched(incident: Incident, { kind, patch, command }: Remedy): Incident | undefined {
  const { subject } = incident;
  const at = incident.objects.findIndex(
    (object) => kind === subject.kind && object.kind === kind && object.metadata.name === subject.name,
  );
  // A change of the Job that exists comes after what the world does.
  if (patch === null || at < 0 || command.startsWith("kubectl patch job ")) return undefined;
  const objects = [...incident.objects];
  const before = objects[at] as unknown as JsonObject;
  objects[at] = applyStrategicMergePatch(before, patch as JsonObject, structType(kind)) as unknown as KubeObject;
  return { ...incident, objects };
}

const helped: string[] = [];

test.each(incidents.map((incident) => [incident.name, incident] as const))("%s", async (name, incident) => {
  let isComplete = false;
  let present = incident;
  for (let tries = 0; tries < MAX_TRIES && !isComplete; tries++) {
    const remedies = await proposed(present);
    const next = remedies.map((remedy) => patched(present, remedy)).find((each) => each !== undefined);
    if (next === undefined) break;
    present = next;
    ({ isComplete } = await play(present, true));
  }
  if (present === incident) return;
  expect(isComplete).toBe(true);
  helped.push(name);
});

test("the patches of many incidents help", () => {
  expect(helped.length).toBeGreaterThanOrEqual(20);
});
