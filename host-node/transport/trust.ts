/**
 * The certificates that a client of TLS trusts: those of a bundle, as Go's clients do.
 *
 * Invariant: each certificate of the bundle is trusted, whether it issues others or is the server's own; any other
 * certificate is refused, unless one of the bundle issued it. Names and dates are checked in any case.
 */
import type { SecureContextOptions } from "node:tls";

type Bundle = SecureContextOptions["ca"];

/** @param bundle certificates in PEM; undefined: those that Node brings along */
export function trusting(bundle: Bundle): Pick<SecureContextOptions, "ca" | "allowPartialTrustChain"> {
  return { ...(bundle && { ca: bundle }), allowPartialTrustChain: true };
}
