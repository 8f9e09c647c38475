import type { FastifyRequest } from 'fastify';
import { isLoopback } from '../platform/address.ts';
import { fail } from '../platform/fail.ts';

/**
 * The name in a `Host` header, without its port: lower case, an IPv6 address without its brackets. Empty if anything but a
 * port follows the name, so that `[::1].example` is not taken for `::1`.
 */
export function hostnameOf(host: string): string {
  const { bracketed, plain = '' } =
    /^(?:\[(?<bracketed>[^\]]*)\]|(?<plain>[^:[\]]*))(?::\d*)?$/.exec(host)?.groups ?? {};
  return (bracketed ?? plain).toLowerCase().replace(/\.$/, '');
}

/**
 * Whether a request is for this server: its host is a loopback name, a configured name, or the address that the
 * connection was made to. Any other name may be that of a foreign page whose DNS now points here (DNS rebinding): the
 * browser then treats our responses as same-origin.
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

/** Rejects requests for another host. A request without `Host`, which only HTTP/1.0 allows, does not come from a browser. */
export function requireOurHost({ headers: { host }, socket }: FastifyRequest, names: ReadonlySet<string>): void {
  if (host !== undefined && !isOurHost(host, names, socket.localAddress))
    throw fail('HOST_UNKNOWN', { host: host.slice(0, 200) });
}
