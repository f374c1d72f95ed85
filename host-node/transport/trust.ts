/**
 * Whom a client of TLS trusts: the certificates of a bundle, as Go's clients do.
 *
 * Invariant: each certificate of the bundle is one that is trusted, whether it issues others or is the server's own;
 * a certificate that is neither there nor issued from there is refused. Names and dates are checked in any case.
 */
import type { SecureContextOptions } from "node:tls";

type Bundle = SecureContextOptions["ca"];

/** @param bundle certificates in PEM; undefined: those that Node brings along */
export function trusting(bundle: Bundle): Pick<SecureContextOptions, "ca" | "allowPartialTrustChain"> {
  return { ...(bundle && { ca: bundle }), allowPartialTrustChain: true };
}
