import { describe, expect, it } from 'vitest';
import { createAddressCheck, isRange } from './addresses.ts';

const check = createAddressCheck([]);

describe('an address', () => {
  it.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['10.1.2.3', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['169.254.169.254', 'link-local'],
    ['100.64.0.1', 'shared'],
    ['100.127.255.255', 'shared'],
    ['0.0.0.0', 'unspecified'],
    ['0.1.2.3', 'unspecified'],
    ['224.0.0.1', 'multicast'],
    ['255.255.255.255', 'reserved'],
    ['192.0.2.1', 'reserved'],
    ['198.18.0.1', 'reserved'],
    ['::1', 'loopback'],
    ['::', 'unspecified'],
    ['fe80::1', 'link-local'],
    ['fd12:3456::1', 'private'],
    ['fc00::1', 'private'],
    ['ff02::1', 'multicast'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:a9fe:a9fe', 'link-local'],
    ['::ffff:8.8.8.8', 'IPv4-mapped'],
    ['64:ff9b::a9fe:a9fe', 'translated'],
    ['64:ff9b:1::1', 'translated'],
    ['2002:7f00:1::', 'translated'],
    ['2001:0:1::1', 'translated'],
    ['::127.0.0.1', 'translated'],
    ['2001:db8::1', 'reserved'],
    ['fec0::1', 'reserved'],
    ['4000::1', 'reserved'],
  ])('%s is refused as %s', (address, name) => {
    expect(check(address)).toMatch(new RegExp(`^an? ${name} address$`));
  });

  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '172.15.255.255',
    '172.32.0.1',
    '100.63.255.255',
    '100.128.0.0',
    '11.0.0.1',
    '2606:4700::1111',
    '2a00:1450:4001::1',
  ])('%s may be reached', (address) => {
    expect(check(address)).toBe(undefined);
  });

  it.each(['', 'example.com', '127.1', '1.2.3.4.5'])('%j is not an address', (text) => {
    expect(check(text)).toContain('not an address');
  });
});

describe('allowed ranges', () => {
  it('open private addresses, and nothing beside them', () => {
    const opened = createAddressCheck(['10.1.0.0/16', 'fd00::/8', '127.0.0.1']);
    expect(['10.1.255.1', 'fd00::1', '127.0.0.1', '::ffff:10.1.0.1'].map(opened)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    for (const address of ['10.2.0.1', 'fc00::1', '127.0.0.2', '169.254.169.254', '64:ff9b::a01:1'])
      expect(opened(address)).toMatch(/^an? [\w-]+ address$/);
  });

  it.each([
    ['10.0.0.0/8', true],
    ['127.0.0.1', true],
    ['fd00::/8', true],
    ['::1', true],
    ['10.0.0.0/33', false],
    ['10.0.0.0/', false],
    ['10.0.0.0/8/8', false],
    ['fd00::/129', false],
    ['fe80::1%eth0', false],
    ['localhost', false],
    ['', false],
    ['*', false],
  ])('are ranges or addresses: %j is %s', (text, valid) => {
    expect(isRange(text)).toBe(valid);
  });
});
