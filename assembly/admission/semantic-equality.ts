/**
 * Whether the API server considers two parts of an object equal (docs/spec/api.md 2.7). A missing value, null and an
 * empty list, map or string are equal. So are the zero values of fields that Go does not keep as pointers. The order of
 * members does not matter. Invariant: works on defaulted objects, whose quantities are spelled canonically. Source:
 * k8s.io/apimachinery/pkg/api/equality.
 */
import { isListed } from "../json/text";
import { after, ARRAY, BOOLEAN, JsonNode, NULL, NUMBER, OBJECT, STRING } from "../json/tree";

// Fields whose zero means the same as nothing: they are no pointers in the types of the API.
const ZERO_IS_ABSENT =
  "hostIPC,hostNetwork,hostPID,hostPort,initialDelaySeconds,publishNotReadyAddresses,readOnly,stdin,stdinOnce,tty";
// Maps of strings. In them, an entry with an empty value is still an entry.
const STRING_MAPS = "annotations,labels,matchLabels,nodeSelector";
const NO_FIELDS = "";

/** Whether the two values are equal. */
export function equal(a: JsonNode | null, b: JsonNode | null): bool {
  return equalExcept(a, b, NO_FIELDS);
}

/** Whether the two values are equal apart from the members with these names, which commas separate. */
export function equalExcept(a: JsonNode | null, b: JsonNode | null, except: string): bool {
  if (a === null) return b === null || isNothing(b, except);
  if (b === null) return isNothing(a, except);
  if (a.kind == OBJECT && b.kind == OBJECT) return membersEqual(a, b, except) && extraMembersAreNothing(b, a, except);
  if (a.kind == ARRAY && b.kind == ARRAY) return elementsEqual(a, b);
  if (a.kind == b.kind && a.text == b.text && a.kind != OBJECT && a.kind != ARRAY) return true;
  return isNothing(a, except) && isNothing(b, except);
}

function membersEqual(a: JsonNode, b: JsonNode, except: string): bool {
  for (let member = a.first; member !== null; member = after(member)) {
    if (!isListed(member.key, except) && !equal(member, b.find(member.key))) return false;
  }
  return true;
}

function extraMembersAreNothing(node: JsonNode, other: JsonNode, except: string): bool {
  for (let member = node.first; member !== null; member = after(member)) {
    if (!isListed(member.key, except) && other.find(member.key) === null && !isNothing(member, NO_FIELDS)) return false;
  }
  return true;
}

function elementsEqual(a: JsonNode, b: JsonNode): bool {
  if (a.length != b.length) return false;
  let other = b.first;
  for (let element = a.first; element !== null && other !== null; element = after(element)) {
    if (!equal(element, other)) return false;
    other = other.next;
  }
  return true;
}

// Whether the node means nothing. An object does only if it has no members. In Go a pointer to an empty struct is
// something, but the API writes both as {}.
function isNothing(node: JsonNode, except: string): bool {
  if (node.kind == NULL) return true;
  if (node.kind == STRING) return node.text.length == 0 && !isMapEntry(node);
  if (node.kind == BOOLEAN) return node.text == "false" && isListed(node.key, ZERO_IS_ABSENT);
  if (node.kind == NUMBER) return node.text == "0" && isListed(node.key, ZERO_IS_ABSENT);
  if (node.kind == ARRAY) return node.length == 0;
  for (let member = node.first; member !== null; member = after(member)) {
    if (!isListed(member.key, except)) return false;
  }
  return true;
}

function isMapEntry(node: JsonNode): bool {
  const parent = node.parent;
  return parent !== null && parent.kind == OBJECT && isListed(parent.key, STRING_MAPS);
}
