/** Names of images as Kubernetes reads them. */
import { expect, test } from "vitest";
import { parseImageName } from "../../../../host-node/runtime/container-engine/image-name.ts";

const DIGEST = `sha256:${"0123456789abcdef".repeat(4)}`;

test.each([
  ["busybox", "docker.io/library/busybox:latest"],
  ["busybox:1.36", "docker.io/library/busybox:1.36"],
  ["team/app", "docker.io/team/app:latest"],
  ["docker.io/busybox", "docker.io/library/busybox:latest"],
  ["localhost/app:1", "localhost/app:1"],
  ["registry.example:5000/team/app", "registry.example:5000/team/app:latest"],
  ["registry.example/team/app_x.y--z:V_1.0", "registry.example/team/app_x.y--z:V_1.0"],
  [`busybox@${DIGEST}`, `docker.io/library/busybox@${DIGEST}`],
  [`quay.io/a/b:1@${DIGEST}`, `quay.io/a/b@${DIGEST}`],
])("%s is %s", (given, canonical) => expect(parseImageName(given)?.canonical).toBe(canonical));

test.each(["", "Upper", "a b", "a/", "/a", "a//b", "a:", "a:-x", "a@sha256:short", "a:b:c", "a@b@c", "../x", "a?b=c"])(
  "%j is no name",
  (given) => expect(parseImageName(given)).toBeUndefined(),
);
