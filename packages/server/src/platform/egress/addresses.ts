import { BlockList, isIP } from 'node:net';

/** Ranges that requests to addresses of users never reach, by the name that errors give them. Source: the IANA special-purpose address registries. */
const ranges: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
  'link-local': ['169.254.0.0/16', 'fe80::/10'],
  shared: ['100.64.0.0/10'],
  unspecified: ['0.0.0.0/8', '::/128'],
  multicast: ['224.0.0.0/4', 'ff00::/8'],
  // Forms of IPv6 that reach an IPv4 address, which can be any of the above.
  'IPv4-mapped': ['::ffff:0:0/96'],
  translated: ['64:ff9b::/96', '64:ff9b:1::/48', '2001::/32', '2002::/16', '::/96'],
  reserved: [
    '192.0.0.0/24',
    '192.0.2.0/24',
    '192.88.99.0/24',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '240.0.0.0/4',
    '2001::/23',
    '2001:db8::/32',
    '3fff::/20',
  ],
};
/** What is not in here is no address of the public internet today. */
const globalUnicast = rangesOf(['2000::/3']);
const refused = Object.entries(ranges).map(([name, texts]) => [name, rangesOf(texts)] as const);

/** A range as `10.0.0.0/8` or `fd00::/8`, or a single address. */
export function isRange(text: string): boolean {
  const [address = '', length, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || address.includes('%') || rest.length > 0) return false;
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= (family === 4 ? 32 : 128));
}

/**
 * The class of an address that is refused (`a loopback address`), or undefined for one that may be reached. The address
 * itself is left out: whoever reads the answer would learn what a name of the inner network resolves to.
 * @param allowed ranges that the operator opens
 */
export function createAddressCheck(allowed: readonly string[]): (address: string) => string | undefined {
  const isOpen = rangesOf(allowed);
  return (address) => {
    if (isIP(address) === 0) return 'not an address';
    if (isOpen(address)) return undefined;
    // The name of the address in a mapped one says more, and stands earlier in the table.
    const name =
      refused.find(([, isIn]) => isIn(address))?.[0] ??
      (isIP(address) === 6 && !globalUnicast(address) ? 'reserved' : undefined);
    return name === undefined ? undefined : `${/^[aeiou]/i.test(name) ? 'an' : 'a'} ${name} address`;
  };
}

/**
 * Whether an address is in one of the ranges. Ranges of IPv4 also contain the mapped addresses of IPv6 (`BlockList` sees
 * to that), but ranges of IPv6 contain no address of IPv4, for which `BlockList` would answer by its mapped form.
 */
function rangesOf(texts: readonly string[]): (address: string) => boolean {
  const v4 = new BlockList();
  const v6 = new BlockList();
  for (const text of texts) {
    const [address = '', length] = text.split('/');
    if (isIP(address) === 4) v4.addSubnet(address, Number(length ?? 32), 'ipv4');
    else v6.addSubnet(address, Number(length ?? 128), 'ipv6');
  }
  return (address) =>
    isIP(address) === 4 ? v4.check(address, 'ipv4') : v4.check(address, 'ipv6') || v6.check(address, 'ipv6');
}
