/** The door with every incident of examples/incidents that has a Job at its end. */
import { expect, test } from "vitest";
import { incidentNames } from "../../../host-node/incidents/incident.ts";
import { compareWithWhy } from "./compare-with-why.ts";

const compared: string[] = [];

test.each(incidentNames())("%s: the page says what stint why says", async (name) => {
  if (await compareWithWhy(name)) compared.push(name);
});

test("nearly all of them have a Job", () => {
  expect(compared.length).toBeGreaterThan(incidentNames().length - 15);
});
