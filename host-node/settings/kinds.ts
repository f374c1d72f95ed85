/**
 * The kinds of values that settings have: how each is read from text, and shown.
 *
 * Invariant: `parse` reads the text that `show` returns, and gets the same value. Leaves out what a kind is used for:
 * that is in the tables of settings, one for each command. A kind that only one command has is beside its table.
 */
import { parseDuration } from "../words/duration.ts";

/** A kind of value: how it is read, and how it is shown. */
export interface Kind<T> {
  /** The placeholder for the value in help: `duration`. */
  readonly placeholder: string;
  /**
   * `parse` reads several values with commas between them, so a user may give a flag several times, and a file may have
   * a list. All values of such a flag count.
   */
  readonly isList?: true;
  /** All values, where they are few: shells complete them. */
  readonly words?: readonly string[];
  /** @throws Error whose message says what is allowed, and completes the sentence "NAME is VALUE; allowed is …" */
  parse(text: string): T;
  show(value: T): string;
}

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The address on which a server listens. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** `127.0.0.1:8080`, `[::1]:8080`. */
export function addressText({ host, port }: ListenAddress): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

export const MAX_PORT = 65_535;

export const optionalText: Kind<string | undefined> = {
  placeholder: "text",
  parse: (value) => value,
  show: (value) => value ?? "",
};
export const boolean: Kind<boolean> = {
  placeholder: "boolean",
  words: ["true", "false"],
  parse: (value) => {
    if (value !== "true" && value !== "false") throw new Error("true or false");
    return value === "true";
  },
  show: String,
};
export const duration: Kind<number> = {
  placeholder: "duration",
  parse: parseDuration,
  show: (ms) => (ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`),
};
export const listenAddress: Kind<ListenAddress> = {
  placeholder: "address",
  parse: (value) => {
    const [, host = "", port = ""] = /^(\[[0-9a-fA-F:.]+\]|[^:\s]+):(\d{1,5})$/.exec(value) ?? [];
    if (host === "" || Number(port) > MAX_PORT)
      throw new Error("ADDRESS:PORT such as 127.0.0.1:8080, 0.0.0.0:8080 or [::]:8080");
    return { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
  },
  show: addressText,
};
/** Like `listenAddress`, or `off`, which is undefined. */
export const optionalListenAddress: Kind<ListenAddress | undefined> = {
  placeholder: "address",
  parse: (value) => {
    if (value === "off") return undefined;
    try {
      return listenAddress.parse(value);
    } catch (error) {
      throw new Error(`${(error as Error).message}, or off`);
    }
  },
  show: (address) => (address === undefined ? "off" : addressText(address)),
};
export const logLevel = oneOf<LogLevel>("level", LOG_LEVELS);

/** One of several words. */
export function oneOf<Word extends string>(placeholder: string, words: readonly Word[]): Kind<Word> {
  return {
    placeholder,
    words,
    parse: (value) => {
      const word = words.find((known) => known === value);
      if (word === undefined) throw new Error(`one of ${words.join(", ")}`);
      return word;
    },
    show: String,
  };
}

const BYTES: Readonly<Record<string, number>> = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

/** A number of bytes, from `minimum` to `maximum`, both allowed: `64MiB`. */
export function byteSize(minimum: number, maximum: number): Kind<number> {
  const show = (value: number): string => {
    const [unit, size] = Object.entries(BYTES).findLast(([, bytes]) => value % bytes === 0) ?? ["", 1];
    return `${value / size}${unit}`;
  };
  return {
    placeholder: "size",
    parse: (value) => {
      const [, digits = "", unit = ""] = /^(\d{1,15})(KiB|MiB|GiB)$/.exec(value) ?? [];
      const bytes = Number(digits) * (BYTES[unit] ?? NaN);
      if (!(bytes >= minimum && bytes <= maximum))
        throw new Error(`a size such as 64MiB, in KiB, MiB or GiB, from ${show(minimum)} to ${show(maximum)}`);
      return bytes;
    },
    show,
  };
}

/** The same for a setting that has no default. */
export function optional<T>({ parse, show, ...kind }: Kind<T>): Kind<T | undefined> {
  return { ...kind, parse, show: (value) => (value === undefined ? "" : show(value)) };
}

/** From `minimum` to `maximum`, both allowed. */
export function number(minimum: number, maximum: number, { isWhole }: { isWhole: boolean }): Kind<number> {
  return {
    placeholder: "number",
    parse: (value) => {
      const read = Number(value);
      const isNumber = /^\d+(\.\d+)?$/.test(value) && (!isWhole || Number.isInteger(read));
      if (!isNumber || read < minimum || read > maximum)
        throw new Error(`a ${isWhole ? "whole number" : "number"} from ${minimum} to ${maximum}`);
      return read;
    },
    show: String,
  };
}
