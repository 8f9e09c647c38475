import { BlockList, isIP } from 'node:net';
import { LogqlError } from './logql/error.ts';

/**
 * Whether a text contains an address of `ip()`: a single one, a range (`10.0.0.1-10.0.0.9`) or a network (`10.0.0.0/8`).
 *
 * @throws LogqlError
 */
export function addressTest(range: string): (text: string) => boolean {
  const list = listOf(range.trim());
  return (text) => {
    for (const [run] of text.matchAll(/[0-9a-fA-F.:]{2,}/g))
      if (addressesIn(run).some((address) => list.check(address, familyOf(address)))) return true;
    return false;
  };
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

function addressesIn(run: string): string[] {
  // A sentence or a port may follow.
  const whole = run.length <= 64 ? run.replace(/^[.:](?![.:])|(?<![.:])[.:]+$/g, '') : run;
  if (isIP(whole) !== 0) return [whole];
  return [...run.matchAll(/(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?!\d)/g)].flatMap(([one]) =>
    isIP(one) === 0 ? [] : [one],
  );
}

function listOf(range: string): BlockList {
  const list = new BlockList();
  const wrong = () =>
    new LogqlError(`ip: error while parsing address: invalid range ${JSON.stringify(range.slice(0, 100))}`);
  const [first = '', last] = range.split('-').map((part) => part.trim());
  const [network = '', length] = first.split('/');
  if (isIP(network) === 0) throw wrong();
  try {
    if (last !== undefined) list.addRange(first, last, familyOf(first));
    else if (length === undefined) list.addAddress(first, familyOf(first));
    else if (/^\d{1,3}$/.test(length)) list.addSubnet(network, Number(length), familyOf(network));
    else throw wrong();
  } catch (error) {
    throw error instanceof LogqlError ? error : wrong();
  }
  return list;
}
