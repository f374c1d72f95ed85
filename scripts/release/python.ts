/** The wheel and the source distribution of the Python binding, each with the engine inside. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Artefact, expectText, inRoot, type Release, run } from "./artefact.ts";
import { sourceDistribution, wheel } from "./names.ts";

const files = ({ version }: Release): readonly string[] => [wheel(version), sourceDistribution(version)];

const PROGRAM = `
import stint
with stint.Engine.create() as engine:
    print(stint.__version__, "jobs", engine.metrics()["jobs"])
`;

/** A fresh virtual environment with these packages. @returns its interpreter */
function environment(folder: string, packages: readonly string[]): string {
  run("python3", ["-m", "venv", folder]);
  const python = join(folder, "bin/python");
  run(python, ["-m", "pip", "install", "-q", "--disable-pip-version-check", ...packages]);
  return python;
}

export const pythonPackage: Artefact = {
  name: "Python package",
  async make(release) {
    const python = environment(join(release.scratch, "python-build"), ["build"]);
    run(python, ["-m", "build", "--outdir", release.out, inRoot("bindings/python")]);
    const made = files(release);
    const missing = made.filter((file) => !readdirSync(release.out).includes(file));
    if (missing.length > 0) throw new Error(`the build has not made ${missing.join(", ")}`);
    return made;
  },
  async tryOut(release, folder) {
    for (const file of files(release)) {
      const python = environment(join(folder, file), [join(release.out, file)]);
      writeFileSync(join(folder, "program.py"), PROGRAM);
      const said = run(python, ["program.py"], { cwd: folder });
      expectText(`a program with ${file}`, said, `${release.version} jobs 0`);
    }
    return "wheel and source distribution, each in a separate environment, made an engine";
  },
};
