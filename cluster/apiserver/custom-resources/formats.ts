/**
 * The formats that a schema can ask of a string. Leaves out `isbn`, `creditcard`, `ssn` and `bsonobjectid`: any string
 * passes for these. Source: kube-openapi, pkg/validation/strfmt.
 */
import { labelErrors, subdomainErrors } from "../../values/names.ts";

const uuid = (third: string, fourth: string): RegExp =>
  new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${third}-?${fourth}-?[0-9a-f]{12}$`, "i");
const any = "[0-9a-f]{4}";
const variant = "[89ab][0-9a-f]{3}";
const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;
const ipv4 = /^((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.(?!$)|$)){4}$/;
const hostname = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$/i;
/** Upstream quirk: some number with a unit somewhere in the text is enough. */
const duration =
  /\d\s*(ns|nanos?|nanoseconds?|us|µs|micros?|microseconds?|ms|millis?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?)\b/i;

const tests: Readonly<Record<string, (text: string) => boolean>> = {
  byte: (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
  cidr: isCidr,
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && isDay(text),
  datetime: (text) => dateTime.test(text) && isDay(text.slice(0, 10)),
  duration: (text) => text === "0" || duration.test(text),
  email: (text) => /^[^\s@<>]+@[^\s@<>]+$/.test(text),
  hexcolor: (text) => /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i.test(text),
  hostname: (text) => hostname.test(text),
  ipv4: (text) => ipv4.test(text),
  ipv6: isIpv6,
  k8slongname: (text) => subdomainErrors(text).length === 0,
  k8sshortname: (text) => labelErrors(text).length === 0,
  mac: (text) => /^([0-9a-f]{2}([:-])([0-9a-f]{2}\2){4,6}[0-9a-f]{2}|([0-9a-f]{4}\.){2,3}[0-9a-f]{4})$/i.test(text),
  rgbcolor: (text) => /^rgb\(\s*\d{1,3}%?\s*(,\s*\d{1,3}%?\s*){2}\)$/.test(text),
  uri: (text) => /^(\/|[a-z][-+.a-z0-9]*:)[^\s\p{Cc}]*$/iu.test(text),
  uuid: (text) => uuid(any, any).test(text),
  uuid3: (text) => uuid("3[0-9a-f]{3}", any).test(text),
  uuid4: (text) => uuid("4[0-9a-f]{3}", variant).test(text),
  uuid5: (text) => uuid("5[0-9a-f]{3}", variant).test(text),
};
const unchecked: ReadonlySet<string> = new Set([
  "bsonobjectid",
  "creditcard",
  "isbn",
  "isbn10",
  "isbn13",
  "password",
  "ssn",
]);
const numeric: Readonly<Record<string, readonly string[]>> = {
  integer: ["int32", "int64"],
  number: ["float", "double"],
};

/** Whether the format is known for this type. Others are ignored. */
export function isKnownFormat(type: string | undefined, format: string): boolean {
  if (type !== undefined && type !== "string") return numeric[type]?.includes(format) ?? false;
  const name = format.replaceAll("-", "");
  return Object.hasOwn(tests, name) || unchecked.has(name);
}

/** Whether a string has a known format. */
export function hasFormat(text: string, format: string): boolean {
  const name = format.replaceAll("-", "");
  return !Object.hasOwn(tests, name) || tests[name]!(text);
}

function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function isIpv6(text: string): boolean {
  // An IPv4 address at the end replaces two groups.
  const tail = /^(.*:)([\d.]+)$/.exec(text);
  const groups = tail !== null && ipv4.test(tail[2]!) ? `${tail[1]}0:0` : text;
  const [before = "", after, ...rest] = groups.split("::");
  const parts = [before, after ?? ""].flatMap((half) => (half === "" ? [] : half.split(":")));
  if (rest.length > 0 || !parts.every((part) => /^[0-9a-f]{1,4}$/i.test(part))) return false;
  return after === undefined ? parts.length === 8 : parts.length < 8;
}

function isCidr(text: string): boolean {
  const [address = "", length = "", ...rest] = text.split("/");
  if (rest.length > 0 || !/^\d{1,3}$/.test(length)) return false;
  return (ipv4.test(address) && Number(length) <= 32) || (isIpv6(address) && Number(length) <= 128);
}
