/**
 * How many bytes each part may have, gzipped at level 9: the one list for the tests and `npm run bench:playground`.
 *
 * The budgets protect the page's first load. The engine as a whole is fetched after the first picture, and by programs
 * that keep it on a disk, so its budget is wide: advice and checks are not cut to save bytes. Each later feature of the
 * page is a chunk that is fetched when it is used.
 */
const KIB = 1024;

export interface ByteBudget {
  readonly what: string;
  readonly maxBytes: number;
}

export const BYTE_BUDGETS = {
  engine: { what: "the whole engine", maxBytes: 160 * KIB },
  core: { what: "core.wasm", maxBytes: 72 * KIB },
  coreAndWorker: { what: "core.wasm and the Worker", maxBytes: 176 * KIB },
  firstLoad: { what: "the first load of the page", maxBytes: 230 * KIB },
  editor: { what: "the editor", maxBytes: 130 * KIB },
} as const satisfies Record<string, ByteBudget>;

/** Above this part of a budget the tests print a warning, so that the last byte surprises no contributor. */
const WARNING_SHARE = 0.97;

/**
 * A sentence about a part that is near its budget or over it. @param bytes - the actual size, gzipped
 * @returns undefined below the share at which a warning is due
 */
export function nearBudget({ what, maxBytes }: ByteBudget, bytes: number): string | undefined {
  if (bytes <= maxBytes * WARNING_SHARE) return undefined;
  return `${what}: ${bytes} of ${maxBytes} bytes, gzipped (${((100 * bytes) / maxBytes).toFixed(1)} %)`;
}
