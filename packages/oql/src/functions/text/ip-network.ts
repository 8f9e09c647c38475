import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const ipNetwork: ScalarFunction = {
  kind: 'scalar',
  name: 'ip_network',
  doc: 'The network of an IPv4 address, by prefix length; null if it is not an IPv4 address.',
  parameters: [
    { name: 'address', type: 'string' },
    { name: 'prefix', type: 'int', literal: true },
  ],
  returns: 'string',
  nullable: () => true,
  fault: ([, prefix]) => {
    const length = prefix?.constant?.type === 'int' ? Number(prefix.constant.value) : -1;
    return length >= 0 && length <= 32 ? undefined : 'A prefix must have 0 to 32 bits.';
  },
  sql: ([address = NULL, prefix = NULL]) =>
    sql`if(isIPv4String(ifNull(${address}, '')), concat(toString(IPv4CIDRToRange(toIPv4OrDefault(ifNull(${address}, '')), toUInt8(${prefix})).1), '/', toString(${prefix})), NULL)`,
  examples: [
    ['ip_network("10.1.2.3", 24)', '10.1.2.0/24'],
    ['ip_network("x", 24)', null],
  ],
};
