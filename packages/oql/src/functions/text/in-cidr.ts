import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

/** The engine fails for any other text. */
function isNetwork(text: string): boolean {
  const [, address = '', bits] = /^([0-9a-fA-F.:]+)\/(\d{1,3})$/.exec(text) ?? [];
  if (!address.includes(':')) return isAddress(address) && Number(bits) <= 32;
  return isAddress(`[${address}]`) && Number(bits) <= 128;
}

function isAddress(host: string): boolean {
  if (!host.startsWith('['))
    return (
      host.split('.').length === 4 && host.split('.').every((byte) => /^\d{1,3}$/.test(byte) && Number(byte) <= 255)
    );
  try {
    return new URL(`http://${host}/`).hostname !== '';
  } catch {
    return false;
  }
}

export const inCidr: ScalarFunction = {
  kind: 'scalar',
  name: 'in_cidr',
  doc: 'Whether an IP address is in a network such as `10.0.0.0/8`; false if it is not an address.',
  parameters: [
    { name: 'address', type: 'string' },
    { name: 'network', type: 'string', literal: true },
  ],
  returns: 'bool',
  nullable: () => false,
  fault: ([, network]) =>
    network?.constant?.type === 'string' && isNetwork(network.constant.value)
      ? undefined
      : 'Write a network as `10.0.0.0/8` or `fd00::/8`.',
  sql: ([address = NULL, network = NULL]) =>
    sql`(isNotNull(toIPv6OrNull(ifNull(${address}, ''))) AND isIPAddressInRange(if(isNull(toIPv6OrNull(ifNull(${address}, ''))), '::', assumeNotNull(${address})), ${network}))`,
  examples: [
    ['in_cidr("10.1.2.3", "10.0.0.0/8")', true],
    ['in_cidr("no address", "10.0.0.0/8")', false],
  ],
};
