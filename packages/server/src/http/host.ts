import type { FastifyRequest } from 'fastify';
import { isLoopback } from '../platform/address.ts';
import { fail } from '../platform/fail.ts';

/** The name in a `Host` header, without its port: lower case, an IPv6 address without its brackets. */
export function hostnameOf(host: string): string {
  const name = host.startsWith('[') ? host.slice(1, Math.max(1, host.indexOf(']'))) : (host.split(':')[0] ?? '');
  return name.toLowerCase().replace(/\.$/, '');
}

/**
 * Whether a request is for this server: by a name of loopback, one from the configuration, or the address that its
 * connection came to. Any other name may be that of a foreign page whose address was changed to this server's (DNS
 * rebinding): the browser then takes answers of ours for its own.
 */
export function isOurHost(host: string, names: ReadonlySet<string>, localAddress: string | undefined): boolean {
  const name = hostnameOf(host);
  return (
    isLoopback(name) ||
    name.endsWith('.localhost') ||
    names.has(name) ||
    (localAddress !== undefined && name === localAddress.replace(/^::ffff:/, ''))
  );
}

/** Refuses what is for another host. Without a `Host`, which only HTTP/1.0 allows, no browser is behind it. */
export function requireOurHost({ headers: { host }, socket }: FastifyRequest, names: ReadonlySet<string>): void {
  if (host !== undefined && !isOurHost(host, names, socket.localAddress))
    throw fail('HOST_UNKNOWN', { host: host.slice(0, 200) });
}
