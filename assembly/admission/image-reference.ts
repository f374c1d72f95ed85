/**
 * The names of images, as far as their default tag needs it: what is no name has no tag, and so no default either.
 * Invariant: one pass over the name, no regular expressions. Source: pkg/util/parsers ParseImageName,
 * distribution/reference ParseNormalizedNamed.
 */

const NAME_CHARS_MAX: i32 = 255;
const TAG_CHARS_MAX: i32 = 128;
const DOCKER = "docker.io/";
const ID_CHARS: i32 = 64;
const SHA256_CHARS: i32 = 64;
const SHA384_CHARS: i32 = 96;
const SHA512_CHARS: i32 = 128;

/**
 * Whether an image is pulled each time: its tag is `latest`, or it has neither tag nor digest. A text that is no name
 * of an image has neither, and is not.
 */
export function isLatest(image: string): bool {
  if (image.length == ID_CHARS && isHexadecimal(image, 0)) return false;
  const at = image.indexOf("@");
  if (at >= 0 && !isDigest(image, at + 1)) return false;
  const named = at < 0 ? image : image.substring(0, at);
  const path = domainEnd(named);
  if (path > 0 && !isDomain(named, path - 1)) return false;
  const colon = named.indexOf(":", path);
  const end = colon < 0 ? named.length : colon;
  if (!isPath(named, path, end) || nameLength(named, path, end) > NAME_CHARS_MAX) return false;
  if (colon < 0) return at < 0;
  return isTag(named, colon + 1) && named.substring(colon + 1) == "latest";
}

// Where the path begins. The part before the first slash is a domain if it has a dot, a colon or an upper-case
// letter, or is localhost.
function domainEnd(named: string): i32 {
  const slash = named.indexOf("/");
  if (slash < 0) return 0;
  for (let i = 0; i < slash; i++) {
    const c = named.charCodeAt(i);
    if (c == 0x2e || c == 0x3a || u32(c - 0x41) < 26) return slash + 1;
  }
  return named.substring(0, slash) == "localhost" ? slash + 1 : 0;
}

function nameLength(named: string, path: i32, end: i32): i32 {
  if (path > 0) return end;
  return DOCKER.length + (named.indexOf("/") < 0 ? 8 : 0) + end;
}

// Labels of letters, digits and dashes with dots between them, and perhaps a port.
function isDomain(named: string, end: i32): bool {
  let colon = named.indexOf(":");
  if (colon < 0 || colon > end) colon = end;
  let from = 0;
  for (let i = 0; i <= colon; i++) {
    const c = i < colon ? named.charCodeAt(i) : 0x2e;
    if (c == 0x2e) {
      if (from == i || named.charCodeAt(from) == 0x2d || named.charCodeAt(i - 1) == 0x2d) return false;
      from = i + 1;
    } else if (c != 0x2d && !isAlphanumeric(c)) {
      return false;
    }
  }
  if (colon == end) return true;
  for (let i = colon + 1; i < end; i++) {
    if (!isDigit(named.charCodeAt(i))) return false;
  }
  return end > colon + 1;
}

// Lower-case words; between them a slash, a dot, one or two underscores, or dashes.
function isPath(named: string, from: i32, end: i32): bool {
  let at = from;
  while (true) {
    const start = at;
    while (at < end && isLowerOrDigit(named.charCodeAt(at))) at++;
    if (at == start) return false;
    if (at == end) return true;
    const c = named.charCodeAt(at++);
    if (c == 0x5f) {
      if (at < end && named.charCodeAt(at) == 0x5f) at++;
    } else if (c == 0x2d) {
      while (at < end && named.charCodeAt(at) == 0x2d) at++;
    } else if (c != 0x2e && c != 0x2f) {
      return false;
    }
  }
}

function isTag(named: string, from: i32): bool {
  if (named.length == from || named.length - from > TAG_CHARS_MAX) return false;
  for (let i = from; i < named.length; i++) {
    const c = named.charCodeAt(i);
    if (!isAlphanumeric(c) && c != 0x5f && (i == from || (c != 0x2e && c != 0x2d))) return false;
  }
  return true;
}

function isDigest(image: string, from: i32): bool {
  const colon = image.indexOf(":", from);
  const kind = colon < 0 ? "" : image.substring(from, colon);
  const chars = image.length - colon - 1;
  const isWhole =
    (kind == "sha256" && chars == SHA256_CHARS) ||
    (kind == "sha384" && chars == SHA384_CHARS) ||
    (kind == "sha512" && chars == SHA512_CHARS);
  return isWhole && isHexadecimal(image, colon + 1);
}

function isHexadecimal(text: string, from: i32): bool {
  for (let i = from; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (!isDigit(c) && u32(c - 0x61) >= 6) return false;
  }
  return true;
}

function isAlphanumeric(c: i32): bool {
  return isDigit(c) || u32((c | 0x20) - 0x61) < 26;
}

function isLowerOrDigit(c: i32): bool {
  return isDigit(c) || u32(c - 0x61) < 26;
}

function isDigit(c: i32): bool {
  return u32(c - 0x30) < 10;
}
