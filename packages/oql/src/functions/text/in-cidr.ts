import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

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
    network?.constant?.type === 'string' && /^[0-9a-fA-F.:]+\/\d{1,3}$/.test(network.constant.value)
      ? undefined
      : 'Write a network as `10.0.0.0/8` or `fd00::/8`.',
  sql: ([address = NULL, network = NULL]) =>
    sql`(isNotNull(toIPv6OrNull(ifNull(${address}, ''))) AND isIPAddressInRange(if(isNull(toIPv6OrNull(ifNull(${address}, ''))), '::', assumeNotNull(${address})), ${network}))`,
  examples: [
    ['in_cidr("10.1.2.3", "10.0.0.0/8")', true],
    ['in_cidr("no address", "10.0.0.0/8")', false],
  ],
};
