/**
 * The Go module with its engine: a tree to be committed and tagged, and the same as the files of a module proxy. In the
 * tree the folder `stinttest` is a separate module with a separate tag, because it needs client-go.
 *
 * The engine is no part of the sources (bindings/go/embedded), so the tag of a release is on a separate commit: the
 * module's folder as it is, and engine.wasm.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Artefact, expectText, inRoot, type Release, run } from "./artefact.ts";
import { NAMES } from "./names.ts";

const FOLDER = "bindings/go";
const ENGINE = "embedded/engine.wasm";
const MODULE = NAMES.goModule;
const tree = ({ version }: Release): string => `go-module-${version}.tar.gz`;

const PROGRAM = `package main

import (
	"context"
	"fmt"

	stint "${MODULE}"
)

func main() {
	ctx := context.Background()
	engine, err := stint.New(ctx)
	if err != nil {
		panic(err)
	}
	defer engine.Close()
	metrics, err := engine.Metrics(ctx)
	fmt.Println("jobs", metrics["jobs"], err)
}
`;

const TEST_FOLDER = "stinttest";
const TEST_PROGRAM = `package main

import (
	"testing"

	"${MODULE}/${TEST_FOLDER}"
)

func TestCluster(t *testing.T) { stinttest.Start(t).UntilIdle() }
`;

/**
 * Every file of a folder under a prefix, but not those of modules inside. Go takes no entries for folders, which
 * `python3 -m zipfile` writes.
 */
const ZIP_PROGRAM = `
import pathlib, sys, zipfile
source, target, prefix = sys.argv[1:]
inside = [mod.parent for mod in pathlib.Path(source).glob("*/**/go.mod")]
with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
    for path in sorted(pathlib.Path(source).rglob("*")):
        if path.is_file() and not any(path.is_relative_to(module) for module in inside):
            archive.write(path, f"{prefix}/{path.relative_to(source).as_posix()}")
`;

/** The released folder of the module. */
function writeTree(folder: string): void {
  const tracked = run("git", ["ls-files", "-z", FOLDER]).split("\0").filter(Boolean);
  for (const path of [...tracked, join(FOLDER, ENGINE)]) {
    const to = join(folder, path.slice(FOLDER.length + 1));
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(inRoot(path), to);
  }
  for (const file of ["LICENSE", "NOTICE"]) copyFileSync(inRoot(file), join(folder, file));
}

/** Adds the files of a module proxy to a folder: https://go.dev/ref/mod#goproxy-protocol. */
function writeProxy(folder: string, module: string, source: string, version: string): void {
  const files = join(folder, module, "@v");
  mkdirSync(files, { recursive: true });
  writeFileSync(join(files, "list"), `${version}\n`);
  writeFileSync(join(files, `${version}.info`), JSON.stringify({ Version: version, Time: new Date().toISOString() }));
  writeFileSync(join(files, `${version}.mod`), readFileSync(join(source, "go.mod")));
  run("python3", ["-c", ZIP_PROGRAM, source, join(files, `${version}.zip`), `${module}@${version}`]);
}

export const goModule: Artefact = {
  name: "Go module",
  async make(release) {
    const folder = join(release.scratch, "go-module");
    writeTree(folder);
    run("tar", ["-czf", join(release.out, tree(release)), "--owner=0", "--group=0", "--sort=name", "-C", folder, "."]);
    return [tree(release)];
  },
  async tryOut(release, folder) {
    const source = join(folder, "source");
    mkdirSync(source);
    run("tar", ["-xzf", join(release.out, tree(release)), "-C", source]);
    const version = `v${release.version}`;
    const proxy = join(folder, "proxy");
    writeProxy(proxy, MODULE, source, version);
    writeProxy(proxy, `${MODULE}/${TEST_FOLDER}`, join(source, TEST_FOLDER), version);
    const user = join(folder, "user");
    mkdirSync(user);
    writeFileSync(join(user, "main.go"), PROGRAM);
    const others = run("go", ["env", "GOPROXY"]).trim();
    const env = {
      GOPROXY: `${pathToFileURL(proxy).href},${others}`,
      GONOSUMDB: `${MODULE},${MODULE}/${TEST_FOLDER}`,
      GOFLAGS: "-modcacherw",
      GOMODCACHE: join(folder, "cache"),
    };
    run("go", ["mod", "init", "example.com/user"], { cwd: user, env });
    run("go", ["get", `${MODULE}@${version}`], { cwd: user, env });
    run("go", ["mod", "download"], { cwd: user, env });
    expectText("a Go program", run("go", ["run", "."], { cwd: user, env }), "jobs 0 <nil>");
    writeFileSync(join(user, "main_test.go"), TEST_PROGRAM);
    run("go", ["get", "-t", `${MODULE}/${TEST_FOLDER}@${version}`], { cwd: user, env });
    run("go", ["vet", "."], { cwd: user, env });
    return "a program of another module got it from a proxy, and made an engine; its test compiles with stinttest";
  },
};
