import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../platform/ids.ts';
import { createLog } from '../../../platform/log.ts';
import { hashSecret, mintSecret } from '../../../platform/secrets.ts';
import { createKnownKeys } from './known-keys.ts';
import type { SdkKeyRow } from './store.ts';

const log = createLog('silent');
const row = (): SdkKeyRow => ({
  id: newId(),
  kind: 'server',
  allowed_origins: [],
  payload_key: null,
  workspace_id: newId(),
  project_id: newId(),
  environment_id: newId(),
  workspace_number: 1,
  project_number: 1,
  environment_key: 'production',
  last_used_at: new Date(),
});

describe('keys that were valid', () => {
  let directory: string;
  let file: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'fanion-keys-'));
    file = join(directory, 'state', 'sdk-keys.json');
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it('are known after a restart, by their hash alone', async () => {
    const { secret, hash } = mintSecret('svc_sdk_');
    const key = row();
    const before = createKnownKeys({ file, log });
    before.keep(hash, key);
    await before.flush();
    expect(await readFile(file, 'utf8')).not.toContain(secret);
    const after = createKnownKeys({ file, log });
    expect(after.find(hashSecret(secret))).toEqual(key);
    expect(after.find(hashSecret(`${secret}x`))).toBeUndefined();
  });

  it('are forgotten when they are revoked', async () => {
    const [a, b] = [mintSecret('svc_sdk_'), mintSecret('svc_sdk_')];
    const key = row();
    const keys = createKnownKeys({ file, log });
    keys.keep(a.hash, key);
    keys.keep(b.hash, row());
    await keys.flush();
    keys.forgetId(key.id);
    keys.forget(b.hash);
    await keys.flush();
    const after = createKnownKeys({ file, log });
    expect([after.find(a.hash), after.find(b.hash)]).toEqual([undefined, undefined]);
  });

  it('are empty if the file is missing or damaged', async () => {
    const { hash } = mintSecret('svc_sdk_');
    expect(createKnownKeys({ file, log }).find(hash)).toBeUndefined();
    const broken = join(directory, 'broken.json');
    await writeFile(broken, '[[');
    expect(createKnownKeys({ file: broken, log }).find(hash)).toBeUndefined();
  });
});
