import { expect, it } from 'vitest';
import { createDevices } from './devices.ts';

const devices = createDevices(Buffer.from('a secret key of a server that is long'));

it('recognizes a device for the accounts that signed in on it, and for no others', () => {
  const first = devices.remember(undefined, 'ada');
  const both = devices.remember(first, 'bob');
  expect(devices.known(first, 'ada')).toBeDefined();
  expect(devices.known(first, 'bob')).toBeUndefined();
  expect(devices.known(both, 'ada')).toBe(devices.known(first, 'ada'));
  expect(devices.known(both, 'bob')).toBe(devices.known(first, 'ada'));
  expect(devices.remember(both, 'bob')).toBe(both);
});

it('ignores a cookie that this server did not create', () => {
  const cookie = devices.remember(undefined, 'ada');
  const others = createDevices(Buffer.from('another secret key of another server'));
  expect(others.known(cookie, 'ada')).toBeUndefined();
  for (const forged of [
    undefined,
    '',
    'x',
    cookie.slice(0, -1),
    `${cookie}x`,
    cookie.replace('.', '..'),
    'x'.repeat(9_999),
  ])
    expect(devices.known(forged, 'ada')).toBeUndefined();
});

it('forgets the account that was unused for longest', () => {
  let cookie = devices.remember(undefined, 'ada');
  for (let i = 0; i < 8; i++) cookie = devices.remember(cookie, `user ${i}`);
  expect(cookie.length).toBeLessThan(500);
  expect(devices.known(cookie, 'ada')).toBeUndefined();
  expect(devices.known(cookie, 'user 0')).toBeDefined();
});
