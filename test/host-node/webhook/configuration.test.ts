/** The settings of `stint webhook` and what they mean together. The mechanism of settings has separate tests. */
import { describe, expect, it } from "vitest";
import { type Configuration, readConfiguration } from "../../../host-node/webhook/configuration.ts";
import type { SettingName } from "../../../host-node/webhook/settings.ts";

const read = (flags: Partial<Record<SettingName, string>>, environment: Record<string, string> = {}): Configuration =>
  readConfiguration({ flags, environment, file: undefined });
const files = { cert: "c.pem", key: "k.pem" };

describe("the configuration", () => {
  it("listens on loopback, and waits less long than an API server, by default", () => {
    expect(read(files)).toEqual({
      ...files,
      address: { host: "127.0.0.1", port: 8443 },
      kubernetes: "1.37",
      reloadPeriod: 10_000,
      requestTimeout: 8_000,
      shutdownGracePeriod: 10_000,
      logLevel: "info",
    });
  });

  it.each([
    [
      { ...files, port: "0" },
      { host: "127.0.0.1", port: 0 },
    ],
    [
      { ...files, listen: "0.0.0.0:443" },
      { host: "0.0.0.0", port: 443 },
    ],
  ])("takes %j", (flags, address) => {
    expect(read(flags).address).toEqual(address);
  });

  it.each<[Partial<Record<SettingName, string>>, string]>([
    [
      { key: "k.pem" },
      "--cert is not given: an API server calls webhooks over HTTPS alone; allowed are PEM files, --cert with the certificate and --key with its private key",
    ],
    [
      { cert: "c.pem" },
      "--key is not given: an API server calls webhooks over HTTPS alone; allowed are PEM files, --cert with the certificate and --key with its private key",
    ],
    [
      { ...files, listen: "0.0.0.0:443", port: "1" },
      "--port (1) and --listen (0.0.0.0:443) are given: both say where to listen; leave one of them out",
    ],
    [
      { ...files, requestTimeout: "30s" },
      "--request-timeout (30s) is longer than an API server waits; allowed is less than 30s, and less than timeoutSeconds of the webhook's configuration",
    ],
    [{ ...files, port: "65536" }, '--port is "65536"; allowed is a whole number from 0 to 65535'],
    [
      { ...files, listen: "off" },
      '--listen is "off"; allowed is ADDRESS:PORT such as 127.0.0.1:8080, 0.0.0.0:8080 or [::]:8080',
    ],
  ])("refuses %j", (flags, sentence) => {
    expect(() => read(flags)).toThrow(expect.objectContaining({ name: "UsageError", message: sentence }));
  });

  it("takes the files from the environment too", () => {
    expect(read({ key: "k.pem" }, { STINT_CERT: "e.pem", STINT_KEY: "e.key" })).toMatchObject({
      cert: "e.pem",
      key: "k.pem",
    });
  });
});
