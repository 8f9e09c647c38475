import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readConfig, unknownVariables } from './config.ts';

const directory = mkdtempSync(join(tmpdir(), 'fanion-config-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const read = (env: Record<string, string>) => readConfig({ FANION_DATA_DIR: directory, ...env });

describe('unknown variables', () => {
  it('are those that begin with FANION_ and are not defined', () => {
    const env = {
      FANION_SINGUP: 'invite',
      FANION_SIGNUP: 'open',
      FANION_OIDC_CORP_ISSUER: 'https://id.example.com',
      FANION_OIDC_CORP_DEFAULT_ROLES: 'viewer',
      FANION_SDK_KEY: 'svc_sdk_x',
      HOME: '/',
    };
    expect(unknownVariables(env)).toEqual(['FANION_SINGUP', 'FANION_OIDC_CORP_DEFAULT_ROLES']);
  });
});

describe('retention', () => {
  const of = (env: Record<string, string>) => read(env).retention;

  it('has ascending classes that include the default', () => {
    expect(of({})).toEqual({ default: 30, allowed: [3, 7, 15, 30, 90, 400] });
    expect(of({ FANION_RETENTION_DAYS: '45', FANION_RETENTION_CLASSES: '90,7,7' })).toEqual({
      default: 45,
      allowed: [7, 45, 90],
    });
  });

  const tooMany = Array.from({ length: 11 }, (_, n) => n + 1).join(',');
  it.each(['7;30', '7,', '0', '3651', '1.5', tooMany])('rejects the classes %j', (classes) => {
    expect(() => of({ FANION_RETENTION_CLASSES: classes })).toThrow('FANION_RETENTION_CLASSES');
  });
});

describe('a cluster', () => {
  it('needs CLICKHOUSE_URL, of one or several hosts, and a name that needs no quotes', () => {
    const CLICKHOUSE_URL = 'http://127.0.0.1:8123';
    expect(read({ CLICKHOUSE_URL, CLICKHOUSE_CLUSTER: 'eu-1' }).clickhouseCluster).toBe('eu-1');
    expect(read({ CLICKHOUSE_URL }).clickhouseCluster).toBe(undefined);
    const two = 'https://me:secret@one:8443,two:8443';
    expect(read({ CLICKHOUSE_URL: two }).clickhouseUrl).toBe(two);
    expect(() => read({ CLICKHOUSE_URL: 'https://one:8443,two:port' })).toThrow('CLICKHOUSE_URL');
    expect(read({ CLICKHOUSE_URL, CLICKHOUSE_COLD_VOLUME: 'tiered.cold' }).coldVolume).toEqual({
      policy: 'tiered',
      volume: 'cold',
    });
    expect(() => read({ CLICKHOUSE_COLD_VOLUME: 'tiered.cold' })).toThrow(
      'CLICKHOUSE_COLD_VOLUME: needs CLICKHOUSE_URL',
    );
    expect(() => read({ CLICKHOUSE_CLUSTER: 'eu' })).toThrow('CLICKHOUSE_CLUSTER: needs CLICKHOUSE_URL');
    expect(() => read({ CLICKHOUSE_URL, CLICKHOUSE_CLUSTER: "a' SYNC" })).toThrow('CLICKHOUSE_CLUSTER');
  });
});

describe('ranges that requests may reach', () => {
  const of = (ranges: string) => read({ FANION_EGRESS_ALLOW: ranges }).egress.allow;

  it('are ranges or single addresses', () => {
    expect(read({}).egress).toEqual({ allow: [], timeoutMs: 10_000, answerBytes: 65_536 });
    expect(of('10.0.0.0/8, fd00::/8,127.0.0.1')).toEqual(['10.0.0.0/8', 'fd00::/8', '127.0.0.1']);
  });

  it.each(['10.0.0.0/33', 'localhost', '10.0.0.0/8,', '*', 'private'])('are not %j', (ranges) => {
    expect(() => of(ranges)).toThrow('FANION_EGRESS_ALLOW');
  });
});

describe('the secret key', () => {
  it('is made once, and the one before it is read while it exists', () => {
    const { secretKey, previousSecretKey } = read({});
    expect([read({}).secretKey.equals(secretKey), previousSecretKey]).toEqual([true, undefined]);
    writeFileSync(join(directory, 'secret.key.previous'), 'the previous key\n');
    expect(read({}).previousSecretKey).toEqual(Buffer.from('the previous key'));
    expect(read({ FANION_SECRET_KEY: 'x'.repeat(32) }).previousSecretKey).toBe(undefined);
    rmSync(join(directory, 'secret.key.previous'));
  });
});

describe('a bucket for backups', () => {
  const bucket = 's3://backups/fanion';

  it('is opened with credentials, which may be in files', () => {
    const file = join(directory, 'access.secret');
    writeFileSync(file, 'a-secret\n');
    const { backups } = read({
      FANION_BACKUP_DIR: bucket,
      AWS_ACCESS_KEY_ID: 'an-id',
      AWS_SECRET_ACCESS_KEY_FILE: file,
    });
    expect(backups.s3).toMatchObject({ accessKeyId: 'an-id', secretAccessKey: 'a-secret', region: 'us-east-1' });
  });

  it('is refused at the start without credentials', () => {
    expect(() => read({ FANION_BACKUP_DIR: bucket })).toThrow(/FANION_BACKUP_DIR: a bucket needs AWS_ACCESS_KEY_ID/);
  });

  it('is refused without repeating a secret in its address', () => {
    const given = () => read({ FANION_BACKUP_DIR: 's3://an-id:a-secret@backups' });
    expect(given).toThrow('FANION_BACKUP_DIR: backups go to a directory or to s3://bucket/prefix');
    expect(given).not.toThrow('a-secret');
  });
});
