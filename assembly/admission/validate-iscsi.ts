/**
 * Rules of a volume behind iSCSI, whose names have special formats. Source: pkg/apis/core/validation
 * validateISCSIVolumeSource.
 */
import { byteLength, decimal } from "../json/text";
import { JsonNode } from "../json/tree";
import { FieldErrors } from "./field-errors";
import { numberOf } from "./pod-facts";
import { quote } from "./render";

const LUN_MAX: i64 = 255;
const NAME_BYTES_MAX: i32 = 64;
const EUI_CHARS: i32 = 16;
const NAA_CHARS: i32 = 32;
const BAD_START = "must be valid format starting with iqn, eui, or naa";
const BAD_FORMAT = "must be valid format";

/** Checks `iscsi` of a volume. */
export function validateIscsi(volume: JsonNode, source: JsonNode, errors: FieldErrors): void {
  errors.needs(source, "targetPortal");
  const name = source.string("iqn");
  errors.needs(source, "iqn");
  if (name.length > 0) validateName(name, source.pathOf("iqn"), errors);
  const lun = numberOf(source, "lun");
  if (lun < 0 || lun > LUN_MAX)
    errors.invalid(source.pathOf("lun"), decimal(lun), "must be between 0 and 255, inclusive");
  const asksForSecret = source.boolean("chapAuthDiscovery") || source.boolean("chapAuthSession");
  if (asksForSecret && !source.has("secretRef")) errors.required(source.pathOf("secretRef"));
  if (!source.has("initiatorName")) return;
  validateName(source.string("initiatorName"), source.pathOf("initiatorname"), errors);
  const own = volume.string("name");
  if (byteLength(own + ":" + source.string("targetPortal")) <= NAME_BYTES_MAX) return;
  const detail =
    "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";
  errors.invalid(volume.pathOf("name"), quote(own), detail);
}

function validateName(name: string, field: string, errors: FieldErrors): void {
  let isGood = true;
  if (name.startsWith("iqn")) isGood = isQualified(name);
  else if (name.startsWith("eui")) isGood = isNumbered(name, EUI_CHARS);
  else if (name.startsWith("naa")) isGood = isNumbered(name, NAA_CHARS);
  else errors.invalid(field, quote(name), BAD_START);
  if (!isGood) errors.invalid(field, quote(name), BAD_FORMAT);
}

// The three letters, any character, and as many letters and digits.
function isNumbered(name: string, characters: i32): bool {
  if (name.length != 4 + characters) return false;
  for (let i = 4; i < name.length; i++) {
    if (!isAlphanumeric(name.charCodeAt(i))) return false;
  }
  return true;
}

// iqn\.\d{4}-\d{2}\.([[:alnum:]-.]+)(:[^,;*&$|\s]+)$, which may begin anywhere.
function isQualified(name: string): bool {
  for (let at = name.indexOf("iqn."); at >= 0; at = name.indexOf("iqn.", at + 1)) {
    if (isQualifiedFrom(name, at + 4)) return true;
  }
  return false;
}

function isQualifiedFrom(name: string, from: i32): bool {
  const date = "0000-00.";
  if (name.length < from + date.length) return false;
  for (let i = 0; i < date.length; i++) {
    const c = name.charCodeAt(from + i);
    if (date.charCodeAt(i) == 0x30 ? u32(c - 0x30) >= 10 : c != date.charCodeAt(i)) return false;
  }
  let at = from + date.length;
  const start = at;
  while (at < name.length && isNamePart(name.charCodeAt(at))) at++;
  if (at == start || at >= name.length - 1 || name.charCodeAt(at) != 0x3a) return false;
  for (at++; at < name.length; at++) {
    if (",;*&$| \t\n\u000c\r".includes(name.charAt(at))) return false;
  }
  return true;
}

function isNamePart(c: i32): bool {
  return isAlphanumeric(c) || c == 0x2d || c == 0x2e;
}

function isAlphanumeric(c: i32): bool {
  return u32(c - 0x30) < 10 || u32((c | 0x20) - 0x61) < 26;
}
