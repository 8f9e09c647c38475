import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readConfig, unknownVariables } from '../config.ts';

const directory = mkdtempSync(join(tmpdir(), 'fanion-secrets-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const key = 'a key of thirty-two characters, or more';

function file(name: string, content: string): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}
const config = (env: Record<string, string>) => readConfig({ FANION_DATA_DIR: join(directory, 'data'), ...env });

describe('secrets in files', () => {
  it('are read without the line break at their end', () => {
    const read = config({
      FANION_SECRET_KEY_FILE: file('key', `${key}\n`),
      DATABASE_URL_FILE: file('database', 'postgres://fanion:hidden@db/fanion\r\n'),
      CLICKHOUSE_URL_FILE: file('clickhouse', 'https://fanion:hidden@ch:8443'),
      FANION_METRICS_TOKEN_FILE: file('token', 'sixteen-characters'),
      FANION_OIDC_CORP_ISSUER: 'https://id.example.com',
      FANION_OIDC_CORP_CLIENT_ID: 'fanion',
      FANION_OIDC_CORP_CLIENT_SECRET_FILE: file('oidc', 'from a file\n'),
    });
    expect(read).toMatchObject({
      secretKey: Buffer.from(key),
      databaseUrl: 'postgres://fanion:hidden@db/fanion',
      clickhouseUrl: 'https://fanion:hidden@ch:8443',
      metricsToken: 'sixteen-characters',
      oidc: [{ clientSecret: 'from a file' }],
    });
  });

  it('are known variables, and files of other settings are not', () => {
    const given = { FANION_SECRET_KEY_FILE: 'x', FANION_OIDC_CORP_CLIENT_SECRET_FILE: 'x', FANION_PORT_FILE: 'x' };
    expect(unknownVariables(given)).toEqual(['FANION_PORT_FILE']);
  });

  const folder = join(directory, 'folder');
  mkdirSync(folder);
  it.each([
    [
      'is missing',
      join(directory, 'nowhere'),
      /FANION_SECRET_KEY_FILE: \/.*nowhere cannot be read as a secret: ENOENT/,
    ],
    ['is a directory', folder, /cannot be read as a secret: it is a directory/],
    ['is empty', file('empty', '\n'), /it is empty/],
    ['is large', file('large', 'x'.repeat(65_537)), /it is larger than 65536 bytes/],
  ])('a file that %s is an error that names the variable', (_, path, message) => {
    expect(() => config({ FANION_SECRET_KEY_FILE: path })).toThrow(message);
  });

  it('cannot be given twice', () => {
    const both = { FANION_SECRET_KEY: key, FANION_SECRET_KEY_FILE: file('again', key) };
    expect(() => config(both)).toThrow('FANION_SECRET_KEY_FILE: FANION_SECRET_KEY is set too; set one of them');
  });

  it('are not printed when they are invalid', () => {
    expect(() => config({ FANION_SECRET_KEY_FILE: file('short', 'hunter2') })).toThrow(
      /^FANION_SECRET_KEY: at least 32 characters$/,
    );
  });
});
