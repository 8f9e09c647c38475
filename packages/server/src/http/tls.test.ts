import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createLog } from '../platform/log.ts';
import { openTls, type Tls } from './tls.ts';

const certificates = fileURLToPath(new URL('./testing/certificates', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'fanion-tls-'));
const files = { cert: join(directory, 'tls.crt'), key: join(directory, 'tls.key') };
const now = Date.UTC(2030, 0);

function put(name: string): void {
  copyFileSync(join(certificates, `${name}.pem`), files.cert);
  copyFileSync(join(certificates, `${name}.key`), files.key);
}
const text = (name: string) => readFileSync(join(certificates, name), 'utf8');

let tls: Tls | undefined;
afterEach(() => tls?.stop());
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function open(hostname?: string) {
  const entries: { msg: string; reason?: string }[] = [];
  const log = createLog('info', { write: (line) => entries.push(JSON.parse(line)) });
  tls = openTls(files, { log, clock: { now: () => now }, hostname, lookMs: 10 });
  const given: string[] = [];
  tls.follow({ setSecureContext: ({ cert }) => given.push(String(cert)) });
  return { tls, given, entries };
}

describe('the certificate of the listeners', () => {
  it('is replaced when its files change', async () => {
    put('first');
    const { tls, given } = open();
    expect(String(tls.current().cert)).toBe(text('first.pem'));
    put('second');
    await expect.poll(() => given).toEqual([text('second.pem')]);
    expect(String(tls.current().key)).toBe(text('second.key'));
  });

  it('stays while the new one is without its key, and follows when the key is there', async () => {
    put('first');
    const { given, entries } = open();
    copyFileSync(join(certificates, 'second.pem'), files.cert);
    await expect
      .poll(() => entries.map(({ reason }) => reason))
      .toContainEqual(expect.stringContaining('is not the key'));
    expect(given).toEqual([]);
    copyFileSync(join(certificates, 'second.key'), files.key);
    await expect.poll(() => given).toEqual([text('second.pem')]);
  });

  it('stays when the new one has expired', async () => {
    put('first');
    const { given, entries } = open();
    put('short');
    await expect.poll(() => entries.map(({ reason }) => reason)).toContainEqual(expect.stringContaining('has expired'));
    expect(given).toEqual([]);
  });

  it('is used though it has expired, or is for another host name, which the log tells', () => {
    put('short');
    expect(open('fanion.example.com').entries.map(({ msg }) => msg)).toEqual([
      'the TLS certificate has expired',
      'the TLS certificate is for another host name',
    ]);
    put('first');
    expect(open('localhost').entries).toEqual([]);
  });

  it.each([
    ['a missing file', () => rmSync(files.cert), /tls\.crt cannot be used: ENOENT/],
    ['a text that is no certificate', () => writeFileSync(files.cert, 'hello'), /tls\.crt cannot be used: .*PEM/],
    ['a text that is no key', () => writeFileSync(files.key, 'hello'), /tls\.key cannot be used: /],
    [
      'the key of another certificate',
      () => copyFileSync(join(certificates, 'second.key'), files.key),
      /tls\.key is not the key of the certificate in .*tls\.crt/,
    ],
  ])('%s is an error that names the file', (_, damage, message) => {
    put('first');
    damage();
    expect(() => openTls(files, { log: createLog('silent'), clock: { now: () => now } })).toThrow(message);
  });
});
