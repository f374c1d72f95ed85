/** Says when the page's address gets longer than some programs take, where it happens, and what to do about it. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { LONG_ADDRESS } from "../../share/address.ts";
import { isLong } from "../address.ts";
import { usePlayground } from "./context.ts";
import { saveScenario, saveText } from "./save.ts";

export function AddressNotice() {
  const { addressLength, selection } = usePlayground();
  const isDismissed = useSignal(false);
  const length = addressLength.value;
  // The notice is shown again after the address was short in between.
  useEffect(() => {
    if (!isLong(length)) isDismissed.value = false;
  }, [length]);
  return (
    <div role="status">
      {isLong(length) && !isDismissed.value && (
        <p class="notice">
          <LongAddress length={length} />
          <button
            type="button"
            class="chip"
            aria-label="Close this notice"
            onClick={() => {
              document.getElementById(`tab-${selection.panel.value}`)?.focus();
              isDismissed.value = true;
            }}
          >
            ×
          </button>
        </p>
      )}
    </div>
  );
}

export function LongAddress({ length }: { readonly length: number }) {
  return (
    <>
      <span>
        The address of this page is {length} characters long, and some programs cut off more than {LONG_ADDRESS}. A file
        has everything, too; “Import” opens it.
      </span>{" "}
      <DownloadRun />
    </>
  );
}

/** What an address would hold, as a file: the scenario, or the recording that is shown. */
export function DownloadRun() {
  const { scenario, recording } = usePlayground().session.branch.value ?? {};
  const download = (): void => {
    if (recording !== undefined) saveText(recording, "stint.jsonl", "application/jsonl");
    else if (scenario !== undefined) saveScenario(scenario);
  };
  return (
    <button type="button" class="chip" onClick={download}>
      Download the {recording === undefined ? "scenario" : "recording"}
    </button>
  );
}
