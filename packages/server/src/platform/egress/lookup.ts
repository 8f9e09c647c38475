import { Resolver } from 'node:dns/promises';

/** The addresses of a host name; throws when it has none. */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

/**
 * Asks the DNS servers of the machine directly: the system's own resolver would occupy the threads that also write
 * files, for as long as a hostile DNS server likes. The hosts file is not read; `localhost` is always loopback
 * (RFC 6761).
 */
export function createLookup(): Lookup {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  return async (hostname) => {
    if (/(^|\.)localhost\.?$/i.test(hostname)) return ['127.0.0.1', '::1'];
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length === 0) throw v4.status === 'rejected' ? v4.reason : new Error(`${hostname} has no address`);
    return addresses;
  };
}
