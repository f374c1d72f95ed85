/** Which credentials of imagePullSecrets are for an image. */
import { expect, test } from "vitest";
import type { Secret } from "../../../../cluster/values/kinds.ts";
import { parseImageName } from "../../../../host-node/runtime/container-engine/image-name.ts";
import { registryAuth } from "../../../../host-node/runtime/container-engine/registry-credentials.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const secret = (key: string, value: object): Secret =>
  ({ data: { [key]: base64(JSON.stringify(value)) } }) as unknown as Secret;
const auths = (entries: object): Secret => secret(".dockerconfigjson", { auths: entries });

function credentials(secrets: readonly Secret[], image: string): unknown {
  const header = registryAuth(secrets, parseImageName(image)!);
  return header === undefined ? undefined : JSON.parse(Buffer.from(header, "base64url").toString());
}

test("the credentials of the image's registry are found, as user and password or as both in one", () => {
  const secrets = [
    auths({ "other.example": { username: "x", password: "y" } }),
    auths({ "a.example": { auth: base64("me:p:w") } }),
  ];
  expect(credentials(secrets, "a.example/app")).toEqual({
    username: "me",
    password: "p:w",
    serveraddress: "a.example",
  });
  expect(credentials(secrets, "b.example/app")).toBeUndefined();
});

test("Docker Hub has several addresses", () => {
  for (const address of ["https://index.docker.io/v1/", "docker.io", "index.docker.io"])
    expect(credentials([auths({ [address]: { username: "me", password: "p" } })], "busybox")).toMatchObject({
      username: "me",
    });
});

test("a registry with a path is for images below it, and comes before one without", () => {
  const secrets = [
    auths({ "a.example": { username: "all", password: "p" }, "a.example/team": { username: "team", password: "p" } }),
  ];
  expect(credentials(secrets, "a.example/team/app")).toMatchObject({ username: "team" });
  expect(credentials(secrets, "a.example/teams/app")).toMatchObject({ username: "all" });
});

test("the older form, tokens, and Secrets that cannot be read", () => {
  expect(credentials([secret(".dockercfg", { "a.example": { identitytoken: "t" } })], "a.example/app")).toEqual({
    identitytoken: "t",
    serveraddress: "a.example",
  });
  const broken = { data: { ".dockerconfigjson": base64("{") } } as unknown as Secret;
  expect(credentials([broken, auths({ "a.example": null }), {} as Secret], "a.example/app")).toBeUndefined();
});
