/** The process views that this machine allows containers without isolation, for tests that need them. */
import { findPerl } from "../../../host-node/runtime/enter-script.ts";
import { detectProcessView, type ProcessView, viewWorks } from "../../../host-node/runtime/process-view.ts";

const perl = findPerl();

/** The one that `--no-isolation` takes. */
export const processView = detectProcessView();

/** The one of every user but root, which root may have, too. */
const ofOtherUsers: ProcessView | undefined = perl === undefined ? undefined : { perl, hasUserNamespace: true };
export const viewOfOtherUsers = ofOtherUsers !== undefined && viewWorks(ofOtherUsers) ? ofOtherUsers : undefined;

// Where bubblewrap must work, a view can be made, too.
if (process.env["STINT_REQUIRE_BUBBLEWRAP"] === "1" && (processView ?? viewOfOtherUsers) === undefined)
  throw new Error("this machine can make no process view, which STINT_REQUIRE_BUBBLEWRAP requires");

/** Containers without isolation: what a test of both kinds of views and of none goes through. */
export const bareVariants = [
  { name: "without isolation", isolation: "none" as const, view: undefined, usable: true },
  {
    name: "without isolation, with a process view",
    isolation: "none" as const,
    view: processView,
    usable: processView !== undefined,
  },
  {
    name: "without isolation, with a view in a user namespace",
    isolation: "none" as const,
    view: viewOfOtherUsers,
    usable: viewOfOtherUsers !== undefined,
  },
];
