import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressSubject } from './address.ts';

describe('addressSubject', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('%s is %s', (ip, subject) => expect(addressSubject(ip)).toBe(subject));

  it('is the same for all hosts of an IPv6 network', () => {
    fc.assert(
      fc.property(fc.ipV6(), (ip) => {
        if (ip.includes('.')) return;
        const url = new URL(`http://[${ip}]/`).hostname.slice(1, -1);
        expect(addressSubject(ip)).toBe(addressSubject(url));
      }),
    );
  });
});
