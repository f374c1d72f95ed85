/** One probe of a real container: by command, HTTP and TCP; with and without bubblewrap. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ProbeResult } from "../../../cluster/kubelet/container-runtime.ts";
import { ProcessRuntime } from "../../../host-node/runtime/process-runtime.ts";
import { freePort } from "../../free-port.ts";
import { bubblewrap, hasBubblewrap } from "./bubblewrap-here.ts";
import { createPod, podOf, type Run, start } from "./running.ts";

/** Answers each request with the number in its path, or with that of the header X-Answer, or never. */
const SERVER = `
use strict; use IO::Socket::INET;
my $listener = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $ARGV[0], Listen => 9, ReuseAddr => 1) or die $!;
syswrite STDOUT, "listens\\n";
while (my $client = $listener->accept) {
  my $head = '';
  while (my $line = <$client>) { $head .= $line; last if $line eq "\\r\\n"; }
  next if $head =~ m{^GET /never } and sleep 20;
  my ($code) = $head =~ m{^x-answer: (\\d+)}mi ? $1 : $head =~ m{^GET /(\\d+)};
  my $agent = $head =~ m{^user-agent: kube-probe/}mi ? '' : 'x';
  print $client "HTTP/1.1 $code$agent Said\\r\\ncontent-length: 0\\r\\n\\r\\n";
  close $client;
}`;

const variants = [
  { name: "without isolation", isolation: "none" as const, usable: true },
  { name: "inside bubblewrap", isolation: { bubblewrap }, usable: hasBubblewrap },
];

for (const { name, isolation, usable } of variants) {
  describe.skipIf(!usable)(`a probe of a container ${name}`, () => {
    let runtime: ProcessRuntime;
    let container: Run;
    let port: number;
    beforeAll(async () => {
      runtime = new ProcessRuntime({ isolation, network: false, workingDirectory: "/" });
      port = await freePort();
      const pod = podOf(["perl", "-e", SERVER, String(port)], { ports: [{ name: "web", containerPort: port }] });
      await createPod(runtime, pod);
      container = start(runtime, pod, [{ name: "WORD", value: "said" }]);
      await container.outputHas("listens");
    });
    afterAll(() => runtime.close());

    const probe = (spec: object): Promise<ProbeResult> =>
      new Promise((resolve) => container.handle.probe!({ timeoutSeconds: 10, ...spec }, "10.0.0.7", resolve));
    const OK = { result: "success", output: "" };

    it("by a command: its exit code counts, and its output is in the event", async () => {
      const sh = (script: string, more: object = {}): Promise<ProbeResult> =>
        probe({ exec: { command: ["sh", "-c", script] }, ...more });
      expect(await sh("true")).toEqual(OK);
      expect(await sh("echo $WORD; exit 3")).toEqual({ result: "failure", output: "said\n" });
      expect(await sh("sleep 100", { timeoutSeconds: 1 })).toEqual({
        result: "failure",
        output: 'command timed out: "sh -c sleep 100" timed out after 1s',
      });
      expect((await sh("head -c 20000 /dev/zero; exit 1")).output).toHaveLength(10 * 1024);
    });

    it("by HTTP: 200 to 399 is success, with the headers and the port by name", async () => {
      const get = (action: object): Promise<ProbeResult> => probe({ httpGet: { port, scheme: "HTTP", ...action } });
      expect(await get({ path: "/204" })).toEqual(OK);
      expect(await get({ path: "/302", port: "web" })).toEqual(OK);
      expect(await get({ path: "/503" })).toEqual({
        result: "failure",
        output: "HTTP probe failed with statuscode: 503",
      });
      expect(await get({ path: "/503", httpHeaders: [{ name: "X-Answer", value: "200" }] })).toEqual(OK);
      expect(await get({ path: "/200", port: "absent" })).toMatchObject({
        output: expect.stringContaining(`couldn't find port: "absent" in pod`),
      });
    });

    it("by a connection: a port without a listener fails", async () => {
      expect(await probe({ tcpSocket: { port } })).toEqual(OK);
      const closed = await freePort();
      const refused = `dial tcp 10.0.0.7:${closed}: connect: connection refused`;
      expect(await probe({ tcpSocket: { port: closed } })).toEqual({ result: "failure", output: refused });
      expect(await probe({ httpGet: { port: closed, path: "/x" } })).toEqual({
        result: "failure",
        output: `Get "http://10.0.0.7:${closed}/x": ${refused}`,
      });
    });

    it("by HTTP to a server that does not answer fails when its time is over", async () => {
      expect(await probe({ httpGet: { port, path: "/never" }, timeoutSeconds: 1 })).toEqual({
        result: "failure",
        output: `Get "http://10.0.0.7:${port}/never": context deadline exceeded`,
      });
    });

    it("has a time that is longer than a timer can be", async () => {
      for (const timeoutSeconds of [3_000_000, 2_147_483_647])
        expect(await probe({ exec: { command: ["sh", "-c", "sleep 0.1"] }, timeoutSeconds })).toEqual(OK);
    });

    it("by gRPC of a server that does not speak it fails", async () => {
      const { result, output } = await probe({ grpc: { port }, timeoutSeconds: 1 });
      expect(result).toBe("failure");
      expect(output).toContain(`failed to connect service "10.0.0.7:${port}" within 1s`);
    });
  });
}
