/** Which answers 4xx and 5xx a controller may get: those that follow from what it could not know. */
import { expect, test } from "vitest";
import type { ControllerProcess } from "../controller-process.ts";
import type { Ledger } from "../ledger.ts";
import { Endings } from "./endings.ts";
import type { Sent } from "./requests.ts";

const process = { name: "controller 1" } as ControllerProcess;
const adopt: Sent = { kind: "adopt", namespace: "default", pod: "p", podUid: "p", jobUid: "j", finalizer: "f" };
const create: Sent = {
  kind: "create",
  jobUid: "j",
  index: -1,
  failures: "none",
  revision: undefined,
  podGroup: undefined,
};
const hasController =
  "metadata.ownerReferences: Invalid value: [...]: Only one reference can have Controller set to true";

test.each([
  { sent: adopt, why: "another Job has the pod", status: 422, body: hasController, isRefusal: false },
  {
    sent: adopt,
    why: "the pod is being deleted",
    status: 422,
    body: "metadata.finalizers: Forbidden: no new finalizers can be added",
    isRefusal: false,
  },
  { sent: adopt, why: "the patch is none", status: 422, body: "metadata.finalizers: Invalid value", isRefusal: true },
  { sent: create, why: "a pod with two controllers", status: 422, body: hasController, isRefusal: true },
  { sent: create, why: "the namespace is being deleted", status: 403, body: "NamespaceTerminating", isRefusal: false },
])("$sent.kind: $why", ({ sent, status, body, isRefusal }) => {
  const handle = (): void =>
    new Endings({ ledger: {} as Ledger, processNamed: () => undefined }).handled(process, sent, {
      status,
      headers: {},
      body,
    });
  if (isRefusal) expect(handle).toThrow(/answered a request of controller 1/);
  else expect(handle).not.toThrow();
});
