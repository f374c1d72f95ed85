/** The names that headless Services give to pods, from their EndpointSlices. */
import { beforeEach, expect, test } from "vitest";
import { type ServiceName, ServiceNames } from "../../../cluster/service-names/service-names.ts";
import { Harness } from "../component-harness.ts";

const SLICES = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";

let h: Harness;
let told: (readonly ServiceName[])[];
beforeEach(() => {
  h = new Harness();
  told = [];
  const { cluster, clock } = h;
  const onProblem = ({ message }: { message: string }): never => {
    throw new Error(message);
  };
  new ServiceNames({ transport: cluster.transport, clock, random: () => 0.5, onProblem }, (names) =>
    told.push(names),
  ).start();
  h.clock.advance(1_000);
  told.length = 0;
});

function slice(name: string, endpoints: object[], labels: object, addressType = "IPv4"): void {
  const metadata = { name, labels: { "kubernetes.io/service-name": "workers", ...labels } };
  h.api("POST", SLICES, { metadata, addressType, ports: [], endpoints });
}

const HEADLESS = { "service.kubernetes.io/headless": "" };
const endpoint = (address: string, hostname?: string, ready = true): object => ({
  addresses: [address],
  conditions: { ready },
  ...(hostname && { hostname }),
});

test("a hostname is a name below the Service, which is one of all its pods", () => {
  slice("a", [endpoint("127.77.0.1", "train-0"), endpoint("127.77.0.2")], HEADLESS);
  h.clock.advance(1_000);
  expect(told).toEqual([
    [
      { namespace: "default", names: ["train-0.workers", "workers"], address: "127.77.0.1" },
      { namespace: "default", names: ["workers"], address: "127.77.0.2" },
    ],
  ]);
});

test("names that change together are published together, and removed ones no longer", () => {
  slice("a", [endpoint("127.77.0.1", "train-0")], HEADLESS);
  slice("b", [endpoint("127.77.0.2", "train-1")], HEADLESS);
  h.clock.advance(1_000);
  h.api("DELETE", `${SLICES}/a`);
  h.clock.advance(1_000);
  expect(told.map((names) => names.map(({ address }) => address))).toEqual([
    ["127.77.0.1", "127.77.0.2"],
    ["127.77.0.2"],
  ]);
});

test("pods that are not ready, and Services with an address, give none", () => {
  slice("a", [endpoint("127.77.0.1", "train-0", false)], HEADLESS);
  slice("b", [endpoint("127.77.0.2", "train-1")], {});
  h.clock.advance(1_000);
  expect(told).toEqual([[]]);
});

test("an endpoint that is given by a name gives none", () => {
  slice("a", [endpoint("train.example", "train-0")], HEADLESS, "FQDN");
  h.clock.advance(1_000);
  expect(told).toEqual([[]]);
});
