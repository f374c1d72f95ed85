/** exec, attach and portforward of pods, as far as the API server answers them. The texts are those of a real one. */
import { expect, test } from "vitest";
import { withStreams } from "../../../../cluster/apiserver/pods/streams.ts";
import { resources } from "../../../../cluster/apiserver/registry/resources.ts";
import { Harness } from "../harness.ts";

const PODS = "/api/v1/namespaces/default/pods";
const UPGRADE = { upgrade: "websocket" };

function harnessWith(...pods: { name: string; spec: object }[]): Harness {
  const harness = new Harness();
  const plain = resources.filter(({ resource }) => resource === "pods");
  harness.cluster.withdraw(plain);
  harness.cluster.serve(plain.map(withStreams));
  for (const { name, spec } of pods)
    expect(harness.post(PODS, { apiVersion: "v1", kind: "Pod", metadata: { name }, spec }).status).toBe(201);
  return harness;
}

const container = (name: string): object => ({ name, image: "none" });
const one = {
  name: "one",
  spec: { nodeName: "n", containers: [container("main")], initContainers: [container("init")] },
};
const two = { name: "two", spec: { nodeName: "n", containers: [container("a"), container("b")] } };

test("discovery lists the streams of pods with their kinds", () => {
  const { resources: listed } = harnessWith().get("/api/v1").body;
  const found = listed.filter(
    ({ verbs, name }: { verbs: string[]; name: string }) => name.startsWith("pods/") && verbs.join() === "create,get",
  );
  expect(found.map(({ name, kind }: { name: string; kind: string }) => `${name} ${kind}`)).toEqual([
    ...["pods/attach PodAttachOptions", "pods/exec PodExecOptions", "pods/portforward PodPortForwardOptions"],
  ]);
});

test.each(["attach", "exec", "portforward"])("%s answers with the pod when another protocol is asked for", (name) => {
  const harness = harnessWith(one);
  const asked = harness.send("POST", `${PODS}/one/${name}?command=ls`, undefined, UPGRADE);
  expect([asked.status, asked.body.metadata.name]).toEqual([200, "one"]);
  for (const method of ["GET", "POST"] as const)
    expect(harness.send(method, `${PODS}/one/${name}`)).toMatchObject({
      status: 400,
      body: { reason: "BadRequest", message: "Upgrade request required" },
    });
});

test.each([
  ["two/exec", "a container name must be specified for pod two, choose one of: [a b]"],
  ["two/attach", "a container name must be specified for pod two, choose one of: [a b]"],
  ["two/exec?container=c", "container c is not valid for pod two"],
  ["nowhere/exec", "pod nowhere does not have a host assigned"],
  ["nowhere/portforward", "pod nowhere does not have a host assigned"],
])("%s is refused: %s", (path, message) => {
  const nowhere = { name: "nowhere", spec: { containers: [container("main")] } };
  const answer = harnessWith(two, nowhere).send("POST", `${PODS}/${path}`, undefined, UPGRADE);
  expect(answer).toMatchObject({ status: 400, body: { reason: "BadRequest", message } });
});

test("init containers can be named, and of one main container the name can be left out", () => {
  const harness = harnessWith(one);
  for (const query of ["", "?container=main", "?container=init"])
    expect(harness.send("POST", `${PODS}/one/exec${query}`, undefined, UPGRADE).status).toBe(200);
});

test("a pod that is not there is not found", () => {
  expect(harnessWith().send("POST", `${PODS}/none/portforward`, undefined, UPGRADE)).toMatchObject({
    status: 404,
    body: { message: 'pods "none" not found' },
  });
});
