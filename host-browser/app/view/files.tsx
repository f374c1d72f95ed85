/** Export to files, and import of one. Nothing leaves the browser: files are made and read in the page. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { drawOn, svgOf } from "../../picture/export.ts";
import type { ExportForm } from "../../messages.ts";
import { runInputOf } from "../../share/run-input.ts";
import { MAX_FILE_BYTES } from "../file-limit.ts";
import { unpackedText } from "../../share/squeeze.ts";
import { readScenarioFile } from "../../share/scenario-file.ts";
import { usePlayground } from "./context.ts";
import { save, saveScenario, saveText } from "./save.ts";

const EXPORT_WIDTH = 1200;
const EXPORT_DENSITY = 2;

export function Export() {
  const playground = usePlayground();
  const picture = playground.picture.value;
  const branch = playground.session.branch.value;
  const problem = useSignal("");
  const saveRun = async (form: ExportForm, name: string, type: string): Promise<void> => {
    problem.value = "";
    try {
      saveText(await playground.session.export(form), name, type);
    } catch (error) {
      problem.value = `There is no ${form.as}: ${(error as Error).message}.`;
    }
  };
  if (picture === undefined || branch === undefined) return <p class="soft">There is no picture yet.</p>;
  const title = playground.taught.value?.title ?? "Stint playground";
  const savePng = (): void => {
    const canvas = document.createElement("canvas");
    drawOn(canvas, picture.exported(EXPORT_WIDTH, EXPORT_DENSITY), title);
    canvas.toBlob((blob) => blob !== null && save(blob, "stint.png"), "image/png");
  };
  const saveSvg = (): void => saveText(svgOf(picture.exported(EXPORT_WIDTH, 1), title), "stint.svg", "image/svg+xml");
  return (
    <>
      <Group title="The picture">
        <button type="button" onClick={savePng}>
          PNG
        </button>
        <button type="button" onClick={saveSvg}>
          SVG
        </button>
      </Group>
      <Group title="The Job and its world">
        <button type="button" onClick={() => saveScenario(branch.scenario)}>
          The scenario, to import it here
        </button>
        <button type="button" onClick={() => saveText(branch.scenario.yaml, "stint.yaml", "application/yaml")}>
          The manifest as YAML
        </button>
        <button
          type="button"
          onClick={() => saveText(runInputOf(branch.scenario), "stint-run.yaml", "application/yaml")}
        >
          Input of <code>stint run</code>
        </button>
      </Group>
      <Group title="The run">
        <button type="button" onClick={() => void saveRun({ as: "recording" }, "stint.jsonl", "application/jsonl")}>
          As a recording, for <code>stint replay</code>
        </button>
        <button
          type="button"
          onClick={() => void saveRun({ as: "vector", name: title }, "stint-vector.json", "application/json")}
        >
          As a vector, a test of the engine in any language
        </button>
      </Group>
      {problem.value !== "" && (
        <p class="fault" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}

function Group({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section class="field">
      <h3>{title}</h3>
      <div class="choices">{children}</div>
    </section>
  );
}

/** Of a compressed segment of the flight recorder, what was compressed. */
function textOf(file: File): Promise<string> {
  return file.name.endsWith(".gz") ? unpackedText(file, MAX_FILE_BYTES) : file.text();
}

export function Import() {
  const playground = usePlayground();
  const problem = useSignal("");
  const read = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    if (file.size > MAX_FILE_BYTES) {
      problem.value = `${file.name} has ${file.size} bytes; at most ${MAX_FILE_BYTES} can be read.`;
      return;
    }
    try {
      const text = await textOf(file);
      const scenario = readScenarioFile(text);
      if (scenario !== undefined) playground.openScenario(scenario, file.name);
      else if (/\.ya?ml$/.test(file.name)) playground.openManifest(text, file.name);
      else playground.import(text, file.name);
    } catch (error) {
      problem.value = `${file.name} cannot be read: ${(error as Error).message}`;
    }
  };
  return (
    <>
      <p>
        A recording of <code>stint run --record</code>, or a segment of <code>stint controller --record</code>,{" "}
        <code>flight-….jsonl</code>: step through what happened in production. Or a manifest in YAML, or a scenario that
        this page has saved. The file stays in your browser.
      </p>
      <label class="field">
        File
        <span>
          <input
            type="file"
            accept=".jsonl,.gz,.json,.yaml,.yml,.txt"
            onChange={(event) => void read(event.currentTarget.files?.[0])}
          />
        </span>
      </label>
      {problem.value !== "" && (
        <p class="fault" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}
