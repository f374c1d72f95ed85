/**
 * What the first picture does not need, as one bundle. Several bundles would be smaller each, but the code that two of
 * them share would need another one.
 */
export { followWithAddress, openAddress } from "./address.ts";
export { keepForLater } from "./keep-for-later.ts";
export { killController, loseNode } from "./tries.ts";
export { BreakMenu } from "./view/break-menu.tsx";
export { Dialogs } from "./view/dialogs.tsx";
export { Incidents, IncidentText } from "./view/incidents.tsx";
export { Legend } from "./view/legend.tsx";
export { Panels } from "./view/panels.tsx";
export { PictureTable } from "./view/picture-table.tsx";
export { PictureTools } from "./view/picture-tools.tsx";
export { Reader } from "./view/reader.tsx";
export { Workbench } from "./view/workbench.tsx";
