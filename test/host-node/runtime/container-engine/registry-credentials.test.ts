/** Which credentials of imagePullSecrets are for an image. */
import { expect, test } from "vitest";
import type { KubeObject } from "../../../../cluster/values/types.ts";
import { parseImageName } from "../../../../host-node/runtime/container-engine/image-name.ts";
import { registryAuth } from "../../../../host-node/runtime/container-engine/registry-credentials.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const secret = (key: string, value: object): KubeObject =>
  ({ data: { [key]: base64(JSON.stringify(value)) } }) as unknown as KubeObject;
const auths = (entries: object): KubeObject => secret(".dockerconfigjson", { auths: entries });

function credentials(secrets: readonly KubeObject[], image: string): unknown {
  const header = registryAuth(secrets, parseImageName(image)!);
  return header === undefined ? undefined : JSON.parse(Buffer.from(header, "base64url").toString());
}

test("those of the image's registry, as user and password or as both in one", () => {
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
  const broken = { data: { ".dockerconfigjson": base64("{") } } as unknown as KubeObject;
  expect(credentials([broken, auths({ "a.example": null }), {} as KubeObject], "a.example/app")).toBeUndefined();
});
