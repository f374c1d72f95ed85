/**
 * A table of settings read from flags, environment and a file: which of them counts, and what is said of what is not
 * understood.
 */
import { describe, expect, it } from "vitest";
import {
  boolean,
  duration,
  listenAddress,
  logLevel,
  number,
  optionalListenAddress,
  optionalText,
} from "../../../host-node/settings/kinds.ts";
import { readSettings, type SettingsInputs, unknownVariables } from "../../../host-node/settings/read-settings.ts";
import { defaultOf, flagOf, setting, variableOf } from "../../../host-node/settings/table.ts";

const TABLE = {
  listen: setting("A:", listenAddress, { host: "127.0.0.1", port: 8443 }, "where"),
  certificate: setting("A:", optionalText, undefined, "a file"),
  maxWaitingBytes: setting("B:", number(1, 10, { isWhole: true }), 3, "how many"),
  longWait: setting("B:", duration, 1500, "how long"),
  quiet: setting("B:", boolean, false, "whether"),
} as const;

type Inputs = Partial<SettingsInputs<keyof typeof TABLE>>;
const read = ({ flags = {}, environment = {}, file }: Inputs = {}): ReturnType<typeof readSettings<typeof TABLE>> =>
  readSettings(TABLE, { flags, environment, file });
const inFile = (text: string): Inputs => ({ file: { path: "s.yaml", text } });

describe("a setting", () => {
  it("has three spellings of its name", () => {
    expect([flagOf("maxWaitingBytes"), variableOf("maxWaitingBytes")]).toEqual([
      "--max-waiting-bytes",
      "STINT_MAX_WAITING_BYTES",
    ]);
  });

  it("has its default where it is not given", () => {
    expect(read().settings).toEqual({
      listen: { host: "127.0.0.1", port: 8443 },
      certificate: undefined,
      maxWaitingBytes: 3,
      longWait: 1500,
      quiet: false,
    });
    expect(Object.values(TABLE).map(defaultOf)).toEqual(["127.0.0.1:8443", "", "3", "1500ms", "false"]);
    expect(read().given.size).toBe(0);
  });

  it("is taken from a flag before the environment, from that before the file, and from that before the default", () => {
    const file = { path: "s.yaml", text: "maxWaitingBytes: 4\nlongWait: 4s\nquiet: true\n" };
    const environment = { STINT_MAX_WAITING_BYTES: "5", STINT_LONG_WAIT: "5s" };
    const { settings, shown } = read({ flags: { maxWaitingBytes: "6" }, environment, file });
    expect(settings).toMatchObject({ maxWaitingBytes: 6, longWait: 5000, quiet: true });
    expect((["maxWaitingBytes", "longWait", "quiet", "listen"] as const).map(shown)).toEqual([
      "--max-waiting-bytes (6)",
      "STINT_LONG_WAIT (5s)",
      "s.yaml:3:1: quiet (true)",
      "--listen (127.0.0.1:8443)",
    ]);
  });
});

describe("what is not understood", () => {
  it.each<[Inputs, string]>([
    [{ flags: { maxWaitingBytes: "11" } }, '--max-waiting-bytes is "11"; allowed is a whole number from 1 to 10'],
    [
      { environment: { STINT_LONG_WAIT: "soon" } },
      'STINT_LONG_WAIT is "soon"; allowed is a duration such as 500ms, 30s, 5m or 1h30m, more than 0 and at most 3650d',
    ],
    [inFile("quiet: perhaps"), 's.yaml:1:1: quiet is "perhaps"; allowed is true or false'],
    [
      inFile("\nloud: true"),
      "s.yaml:2:1: loud is no setting; allowed are listen, certificate, maxWaitingBytes, longWait, quiet",
    ],
    [
      inFile("toString: x"),
      "s.yaml:1:1: toString is no setting; allowed are listen, certificate, maxWaitingBytes, longWait, quiet",
    ],
    [
      inFile("listen:\n  port: 1"),
      "s.yaml:1:1: listen has no plain value; allowed is listen: address, or a list of them in [ ]",
    ],
    [
      inFile("just words"),
      "s.yaml is not a list of settings; allowed is YAML such as listen: 127.0.0.1:8443, with a setting a line",
    ],
    [inFile("quiet: true\n---\nquiet: false"), "s.yaml:2:1: a second document begins here; allowed is one"],
    [inFile("quiet: true\nquiet: false"), "s.yaml:2:1: this is not YAML: Map keys must be unique"],
  ])("%j", (inputs, sentence) => {
    expect(() => read(inputs)).toThrow(expect.objectContaining({ name: "UsageError", message: sentence }));
  });

  it("is not what Kubernetes says of a Service, even where a setting has that name", () => {
    const table = { port: setting("A:", number(0, 9, { isWhole: true }), 1, "which") };
    const portOf = (STINT_PORT: string): number =>
      readSettings(table, { flags: {}, environment: { STINT_PORT }, file: undefined }).settings.port;
    expect([portOf("tcp://10.0.0.1:443"), portOf("2")]).toEqual([1, 2]);
    expect(() => portOf("443")).toThrow("STINT_PORT");
  });

  it("is a variable that looks like a setting; Kubernetes' own of a Service, and others' are none", () => {
    expect(
      unknownVariables(TABLE, {
        STINT_QUIET: "true",
        STINT_CONFIG: "x",
        STINT_QUITE: "true",
        STINT_ENGINE: "debug",
        STINT_WEBHOOK_SERVICE_HOST: "10.0.0.1",
        STINT_WEBHOOK_PORT_443_TCP: "x",
        HOME: "/",
      }),
    ).toEqual(["STINT_QUITE"]);
  });
});

describe("the kinds", () => {
  it.each([
    [listenAddress, "0.0.0.0:8443", { host: "0.0.0.0", port: 8443 }],
    [listenAddress, "[::1]:0", { host: "::1", port: 0 }],
    [optionalListenAddress, "[::]:80", { host: "::", port: 80 }],
    [optionalListenAddress, "off", undefined],
    [logLevel, "warn", "warn"],
    [number(0, 5, { isWhole: false }), "2.5", 2.5],
  ] as const)("read and show: %# %s", (kind, text, value) => {
    expect(kind.parse(text)).toEqual(value);
    expect((kind.show as (value: unknown) => string)(value)).toBe(text);
  });

  it.each([
    [listenAddress, "off", "ADDRESS:PORT such as 127.0.0.1:8080, 0.0.0.0:8080 or [::]:8080"],
    [listenAddress, "127.0.0.1:65536", "ADDRESS:PORT such as 127.0.0.1:8080, 0.0.0.0:8080 or [::]:8080"],
    [optionalListenAddress, "8080", "ADDRESS:PORT such as 127.0.0.1:8080, 0.0.0.0:8080 or [::]:8080, or off"],
    [logLevel, "loud", "one of trace, debug, info, warn, error, fatal, silent"],
    [number(0, 5, { isWhole: false }), "1e1", "a number from 0 to 5"],
  ] as const)("refuse: %# %s", (kind, text, allowed) => {
    expect(() => kind.parse(text)).toThrow(allowed);
  });
});
