/**
 * Connections to one server that are kept and used again, straight to it or through a proxy.
 *
 * Invariant: the certificate is that of the server that the kubeconfig names, whatever way leads there. What speaks to
 * a proxy is loaded only where a kubeconfig names one, because it costs memory. Leaves out which proxies are allowed
 * (kubeconfig-context.ts).
 */
import { Agent as HttpAgent, type AgentOptions, type ClientRequestArgs } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { isIPv6 } from "node:net";
import type { Duplex } from "node:stream";
import { checkServerIdentity, type ConnectionOptions, createSecureContext, type PeerCertificate } from "node:tls";
import { urlToHttpOptions } from "node:url";

/** Whom we trust, and the client certificate. */
export interface Tls extends Pick<ConnectionOptions, "ca" | "cert" | "key"> {
  /** The name in the server's certificate, where it is not that of the address. */
  readonly servername?: string;
  /** False: any certificate will do. */
  readonly rejectUnauthorized?: boolean;
}

export interface Way {
  /** `https://10.0.0.1:6443`. */
  readonly origin: string;
  /** URL of a proxy. */
  readonly proxy: string | undefined;
}

/** Makes a set of connections. @throws Error when a certificate or a key cannot be used */
export type NewAgent = (options: AgentOptions) => HttpAgent;

export async function agentsFor({ origin, proxy }: Way, tls: Tls): Promise<NewAgent> {
  const Agent = await agentClassFor(proxy, origin.startsWith("https:"));
  const name = tls.servername ?? urlToHttpOptions(new URL(origin)).hostname!;
  // Behind a proxy of SOCKS, Node would take the name of the proxy, or localhost, for that of a server with an address.
  const checksName = {
    checkServerIdentity: (_: string, certificate: PeerCertificate) => checkServerIdentity(name, certificate),
  };
  return (options) => {
    const { ca, cert, key, ...rest } = tls;
    const secureContext = createSecureContext({ ca, cert, key });
    const agent = new Agent({ ...options, ...rest, ...checksName, secureContext });
    // Node would put all certificates into the name under which it keeps a connection, for each request. Here each
    // agent has one server.
    agent.getName = () => origin;
    return agent;
  };
}

type AgentClass = new (options: AgentOptions & ConnectionOptions) => HttpAgent;

async function agentClassFor(proxy: string | undefined, isSecure: boolean): Promise<AgentClass> {
  if (proxy !== undefined) return proxyAgentClass(proxy, isSecure);
  return isSecure ? HttpsAgent : HttpAgent;
}

async function proxyAgentClass(proxy: string, isSecure: boolean): Promise<AgentClass> {
  if (proxy.startsWith("socks")) {
    const { SocksProxyAgent } = await import("socks-proxy-agent");
    // The proxy looks names up, as `socks5h` says.
    const url = proxy.replace(/^socks5?:/, "socks5h:");
    return class extends SocksProxyAgent {
      constructor(options: AgentOptions) {
        super(url, options);
        // With a time-out the library also ends connections that are in use, and a stream may be silent for longer.
        // `options` still say how long others are kept.
        this.timeout = null;
      }
    };
  }
  const { HttpProxyAgent, HttpsProxyAgent } = await import("hpagent");
  const ProxyAgent = isSecure ? HttpsProxyAgent : HttpProxyAgent;
  return class extends ProxyAgent {
    constructor(options: AgentOptions) {
      super({ ...options, proxy });
    }

    /** The library forgets the brackets around an address of IPv6. */
    override createConnection(options: ClientRequestArgs, callback?: (error: Error | null, stream: Duplex) => void) {
      const { host } = options;
      return super.createConnection({ ...options, host: isIPv6(host ?? "") ? `[${host}]` : host }, callback);
    }
  };
}
