import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { rotateKey } from './rotate-key.ts';
import { signUp } from './testing/test-client.ts';
import { startTestServer } from './testing/test-server.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'fanion-rotate-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
const key = join(dataDir, 'secret.key');
const previous = join(dataDir, 'secret.key.previous');

describe('the rotation of the key', () => {
  it('keeps every secret readable, also when it is interrupted', async () => {
    const before = await startTestServer({ dataDir });
    const ada = await signUp(before.base, 'ada');
    const channels = `${ada.workspace}/channels`;
    const config = { url: 'https://hooks.example.com/alerts', secret: 'top-secret' };
    const { status } = await ada.post(channels, { name: 'hook', kind: 'webhook', config });
    expect(status).toBe(201);
    await before.stop();

    const first = readFileSync(key, 'utf8');
    expect(await rotateKey({ FANION_DATA_DIR: dataDir })).toEqual({ changed: 1 });
    const second = readFileSync(key, 'utf8');
    expect([second === first, existsSync(previous)]).toEqual([false, false]);

    // Interrupted after the new key was made: the next run finishes with that key.
    renameSync(key, previous);
    writeFileSync(key, 'a third key that an interrupted rotation has made');
    const between = await startTestServer({ dataDir });
    const cookie = (path: string) => fetch(`${between.base}${path}`, { headers: { cookie: ada.cookie } });
    expect(await (await cookie(channels)).json()).toMatchObject({ data: [{ secrets: ['url', 'secret'] }] });
    await between.stop();
    expect(await rotateKey({ FANION_DATA_DIR: dataDir })).toEqual({ changed: 1 });
    expect(existsSync(previous)).toBe(false);
    expect(readFileSync(key, 'utf8')).toBe('a third key that an interrupted rotation has made');
    expect(await rotateKey({ FANION_DATA_DIR: dataDir })).toEqual({ changed: 1 });
  });

  it('needs both keys where they are configured', async () => {
    const env = { FANION_DATA_DIR: dataDir, FANION_SECRET_KEY: 'x'.repeat(32) };
    await expect(rotateKey(env)).rejects.toThrow('FANION_SECRET_KEY_PREVIOUS: missing');
    const file = join(dataDir, 'configured.key');
    writeFileSync(file, 'x'.repeat(32));
    const inFile = { FANION_DATA_DIR: dataDir, FANION_SECRET_KEY_FILE: file };
    await expect(rotateKey(inFile)).rejects.toThrow('FANION_SECRET_KEY_PREVIOUS: missing');
  });
});
