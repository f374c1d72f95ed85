/**
 * What the runtime of containers does with an engine, as scenarios: they run on a fake engine (`npm test`) and on real
 * ones (`npm run test:engines`), so that the fake is known to be like them.
 */
import { afterAll, beforeAll } from "vitest";
import { clientScenarios, containerScenarios } from "./container-scenarios.ts";
import { imageScenarios } from "./image-scenarios.ts";
import { refusalScenarios, removalScenarios } from "./pod-scenarios.ts";
import { realScenarios } from "./real-scenarios.ts";
import { ScenarioEngine, type Subject } from "./scenario-engine.ts";

/** Opens an engine for these tests alone. @param isReal also the scenarios that a fake cannot play */
export function engineScenarios(open: () => Promise<Subject>, isReal: boolean): void {
  const on = new ScenarioEngine(open, isReal);
  beforeAll(() => on.start());
  afterAll(() => on.stop());
  imageScenarios(on);
  containerScenarios(on);
  clientScenarios(on);
  removalScenarios(on);
  refusalScenarios(on);
  if (isReal) realScenarios(on);
}
