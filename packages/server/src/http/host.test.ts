import { describe, expect, it } from 'vitest';
import { isOurHost } from './host.ts';

const names = new Set(['fanion.example.com']);

describe('a Host header', () => {
  it.each([
    'localhost',
    'localhost:8080',
    'LOCALHOST.:8080',
    'app.localhost:8080',
    '127.0.0.1:8080',
    '127.1.2.3',
    '[::1]:8080',
    'fanion.example.com',
    'Fanion.Example.com:443',
    '192.0.2.7:8080',
  ])('accepts %s', (host) => expect(isOurHost(host, names, '::ffff:192.0.2.7')).toBe(true));

  it.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example:8080',
    'evil.example:localhost',
    'fanion.example.com.evil.example',
    'notlocalhost',
    '192.0.2.8',
    '[::2]:8080',
    '0.0.0.0',
    '',
    '@localhost',
    'evil.example#localhost',
    '[::1].evil.example',
    '[::1]evil.example:8080',
    'localhost:8080:evil.example',
  ])('rejects %j', (host) => expect(isOurHost(host, names, '192.0.2.7')).toBe(false));
});
