import type { Scalar } from '../ruleset.ts';
import { anyOf, MAX_TRIED_VALUES, type Operator } from './operator.ts';

/**
 * `cidr`, also named `in_cidr`: an IP address as text against networks (`10.0.0.0/8`, `2001:db8::/32`) or single addresses. An IPv4 address
 * that a socket reports as IPv6 (`::ffff:10.1.2.3`) is the IPv4 address. Bits of a network beyond its length are
 * ignored.
 */
export const cidr: Operator = {
  check: (value) => (parseNetwork(value) === undefined ? 'must be an IP address or network in CIDR form' : undefined),
  compares: 'text',
  maxValues: MAX_TRIED_VALUES,
  compile: (values) => {
    const networks = values.map(parseNetwork).filter((network) => network !== undefined);
    const inAny = anyOf(networks, (actual, network) => typeof actual === 'string' && contains(network, actual));
    return inAny;
  },
};

/** An address as 16-bit groups: two for IPv4, eight for IPv6. */
type Groups = readonly number[];

interface Network {
  readonly groups: Groups;
  /** Leading bits that must be equal. */
  readonly bits: number;
}

function contains(network: Network, address: string): boolean {
  const groups = parseAddress(address);
  if (groups === undefined || groups.length !== network.groups.length) return false;
  let bits = network.bits;
  for (let i = 0; bits > 0; i++, bits -= 16) {
    const mask = bits >= 16 ? 0xffff : (0xffff << (16 - bits)) & 0xffff;
    if ((((groups[i] ?? 0) ^ (network.groups[i] ?? 0)) & mask) !== 0) return false;
  }
  return true;
}

export function parseNetwork(value: Scalar): Network | undefined {
  if (typeof value !== 'string') return undefined;
  const slash = value.indexOf('/');
  const address = slash === -1 ? value : value.slice(0, slash);
  const groups = parseAddress(address);
  if (groups === undefined) return undefined;
  const width = groups.length * 16;
  if (slash === -1) return { groups, bits: width };
  const length = value.slice(slash + 1);
  if (!/^(?:0|[1-9]\d{0,2})$/.test(length)) return undefined;
  // A length on a mapped address counts from the start of the IPv6 form.
  const bits = Number(length) - (width === 32 && address.includes(':') ? 96 : 0);
  return bits >= 0 && bits <= width ? { groups, bits } : undefined;
}

/** Undefined for an invalid address, also for octets that look octal, zones (`%eth0`), and more than one `::`. */
export function parseAddress(text: string): Groups | undefined {
  // Longest: six groups of IPv6 and a dotted IPv4.
  if (text.length > 45) return undefined;
  return text.includes(':') ? parseV6(text) : parseV4(text);
}

const V4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;

function parseV4(text: string): Groups | undefined {
  const match = V4.exec(text);
  if (match === null) return undefined;
  const octets = match.slice(1);
  if (octets.some((octet) => Number(octet) > 255 || (octet.length > 1 && octet.startsWith('0')))) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = octets.map(Number);
  return [(a << 8) | b, (c << 8) | d];
}

function parseV6(text: string): Groups | undefined {
  const [head = '', tail, ...more] = text.split('::');
  if (more.length > 0) return undefined;
  const left = parseGroups(head, tail === undefined);
  const right = tail === undefined ? [] : parseGroups(tail, true);
  if (left === undefined || right === undefined) return undefined;
  const missing = 8 - left.length - right.length;
  // "::" represents at least one group of zeros.
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = [...left, ...new Array<number>(missing).fill(0), ...right];
  const mapped = groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);
  return mapped ? groups.slice(6) : groups;
}

/** The groups on one side of "::"; at the end of the address, the last two may be a dotted IPv4 address. */
function parseGroups(text: string, atEnd: boolean): number[] | undefined {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [i, part] of parts.entries()) {
    if (/^[0-9A-Fa-f]{1,4}$/.test(part)) {
      groups.push(Number.parseInt(part, 16));
      continue;
    }
    const v4 = atEnd && i === parts.length - 1 ? parseV4(part) : undefined;
    if (v4 === undefined) return undefined;
    groups.push(...v4);
  }
  return groups;
}
