import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { FILES_FORMAT, MANIFEST, ROWS_FORMAT } from './manifest.ts';
import { restoreBackup } from './restore.ts';
import { backupName } from './rules.ts';
import { folderSource, folderTarget } from './target-folder.ts';
import { verifyBackup } from './verify.ts';
import { type BackupPlan, newestBackup, type Progress, writeBackup } from './write.ts';

const version = '0.1.0';
const part = 'telemetry/engine/store/abc/all_1_1_0/data.bin';
let work: string;
let plan: (at?: number, more?: Partial<BackupPlan>) => BackupPlan;

beforeEach(async () => {
  work = await mkdtemp(join(tmpdir(), 'fanion-backup-'));
  onTestFinished(() => rmSync(work, { recursive: true, force: true }));
  for (const [path, bytes] of [
    ['control.tar', 'the database'],
    ['engine/store/abc/all_1_1_0/data.bin', 'rows '.repeat(500_000)],
    ['engine/metadata/fanion.sql', 'ATTACH DATABASE'],
    ['secret.key', 'a key'],
  ] as const) {
    mkdirSync(join(work, 'source', path, '..'), { recursive: true });
    writeFileSync(join(work, 'source', path), bytes);
  }
  plan = (at = Date.UTC(2026, 0, 1), more = {}) => ({
    name: backupName(at),
    sources: [
      { from: join(work, 'source/control.tar'), to: 'control.tar.gz', gzip: true },
      { from: join(work, 'source/engine'), to: 'telemetry/engine' },
      { from: join(work, 'source/secret.key'), to: 'secret.key' },
    ],
    head: {
      fanion: version,
      taken: new Date(at).toISOString(),
      server: 'server-1',
      secretKey: 'included',
      workspaces: 1,
      telemetry: { rows: { 'fanion.spans': 7 } },
      log: { segments: 0, bytes: 0 },
    },
    ...more,
  });
});

const restorer = { at: '2026-11-29T08:00:00.000Z', by: 'ann' };
const target = () => folderTarget(join(work, 'backups'));
const { signal } = new AbortController();
const write = (at?: number, more?: Partial<BackupPlan>) =>
  writeBackup(target(), plan(at, more), { onProgress: () => {}, signal });
const writeWhile = (onProgress: (progress: Progress) => void) => writeBackup(target(), plan(), { onProgress, signal });
const verify = (path: string) => verifyBackup(folderSource(path), version, () => {});
const restore = (backup: string, dataDir: string) =>
  restoreBackup({ backup: folderSource(backup), dataDir, restorer }, { verified: () => {}, copied: () => {} });

function changeManifest(path: string, change: (manifest: Record<string, unknown>) => void): void {
  const file = join(path, MANIFEST);
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  change(manifest);
  writeFileSync(file, JSON.stringify(manifest));
}

function mountSmallDisk(path: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'fanion-test', path], { stdio: 'ignore' });
}

function canMount(): boolean {
  const path = mkdtempSync(join(tmpdir(), 'fanion-mount-'));
  try {
    mountSmallDisk(path);
    execFileSync('umount', [path]);
    return true;
  } catch {
    console.log('skipped: this machine does not permit `mount -t tmpfs`, so there is no small disk to fill');
    return false;
  } finally {
    rmdirSync(path);
  }
}

describe('a written backup', () => {
  it('has every file with its checksum, and verifies', async () => {
    const { path, rows, files } = await write();
    expect([rows, files]).toEqual([7, 4]);
    expect(readFileSync(join(path, part), 'utf8')).toBe('rows '.repeat(500_000));
    await expect(verify(path)).resolves.toMatchObject({
      format: FILES_FORMAT,
      telemetry: { rows: { 'fanion.spans': 7 } },
    });
  });

  it('replaces older ones of this server beyond the newest, once it is complete', async () => {
    const day = 86_400_000;
    await write(day);
    await write(2 * day, { head: { ...plan().head, server: 'server-2' } });
    await write(3 * day);
    await expect(
      write(4 * day, { keep: 2, sources: [{ from: join(work, 'missing'), to: 'secret.key' }] }),
    ).rejects.toThrow('missing');
    expect(readdirSync(join(work, 'backups'))).toHaveLength(3);
    const { removed } = await write(5 * day, { keep: 2 });
    expect(removed).toEqual([backupName(day)]);
    expect(readdirSync(join(work, 'backups')).sort()).toEqual([2, 3, 5].map((n) => backupName(n * day)));
    expect(await newestBackup(target(), 'server-1')).toBe(5 * day);
    expect(await newestBackup(target(), 'server-2')).toBe(2 * day);
    expect(await newestBackup(target(), 'server-3')).toBe(undefined);
  });

  it('first removes what killed backups of this server left, and nothing of others', async () => {
    const left = (name: string) => mkdirSync(join(work, 'backups', name), { recursive: true });
    // Killed at once: nothing is in it.
    left(`${backupName(1)}.server-1.partial`);
    left(`${backupName(2)}.server-2.partial`);
    left('my.server-1.partial');
    await write(3);
    expect(readdirSync(join(work, 'backups')).sort()).toEqual([
      `${backupName(2)}.server-2.partial`,
      backupName(3),
      'my.server-1.partial',
    ]);
  });
});

describe('a backup that cannot be written leaves nothing, and names the directory:', () => {
  it('a file in place of the directory', async () => {
    writeFileSync(join(work, 'backups'), '');
    await expect(write()).rejects.toThrow('backups');
  });

  it('a directory that vanishes while files are copied', async () => {
    const vanish = writeWhile(({ done }) => {
      if (done > 1_000_000) rmSync(join(work, 'backups'), { recursive: true, force: true });
    });
    await expect(vanish).rejects.toThrow(`could not be written to ${join(work, 'backups')}: ENOENT`);
    expect(existsSync(join(work, 'backups'))).toBe(false);
  });

  it('a file of the snapshot that is gone, as after a restart of its store', async () => {
    const gone = writeWhile(() => rmSync(join(work, 'source/secret.key'), { force: true }));
    await expect(gone).rejects.toThrow('secret.key');
    expect(readdirSync(join(work, 'backups'))).toEqual([]);
  });
});

describe.skipIf(!canMount())('a disk that is too small', () => {
  beforeEach(() => {
    mkdirSync(join(work, 'backups'));
    mountSmallDisk(join(work, 'backups'));
    onTestFinished(() => void execFileSync('umount', [join(work, 'backups')]));
  });
  /** Writes the largest file that leaves so many bytes. */
  const fill = (left: number) => {
    const { bavail, bsize } = statfsSync(join(work, 'backups'));
    if (bavail * bsize > left) writeFileSync(join(work, 'backups/full'), Buffer.alloc(bavail * bsize - left));
  };

  it('is told before anything is written', async () => {
    fill(1024 ** 2);
    await expect(write()).rejects.toThrow(/has 1\.0 MiB free, and the backup needs 2\.4 MiB/);
    expect(readdirSync(join(work, 'backups'))).toEqual(['full']);
  });

  it('leaves nothing of a backup during which it becomes full', async () => {
    await expect(writeWhile(() => fill(0))).rejects.toThrow(/could not be written to .*: ENOSPC/);
    expect(readdirSync(join(work, 'backups'))).toEqual(['full']);
  });
});

describe('a backup is refused, and the data directory is not created, for', () => {
  const damages: [string, (path: string) => void, string][] = [
    [
      'a changed byte',
      (path) => writeFileSync(join(path, part), `R${'rows '.repeat(500_000).slice(1)}`),
      `${part} has a wrong checksum`,
    ],
    ['a changed size', (path) => appendFileSync(join(path, part), 'x'), `${part} has 2500001 bytes instead of 2500000`],
    ['a missing file', (path) => rmSync(join(path, 'secret.key')), 'secret.key is missing'],
    ['another file', (path) => writeFileSync(join(path, 'wal.txt'), ''), 'wal.txt is not in the manifest'],
    ['a manifest that is cut off', (path) => writeFileSync(join(path, MANIFEST), '{"format": 1'), 'is damaged'],
    [
      'a manifest without a checksum',
      (path) => changeManifest(path, (m) => (m.files = [{ path: part, bytes: 3 }])),
      'is damaged',
    ],
    [
      'a path out of the directory',
      (path) => changeManifest(path, (m) => (m.files = [{ path: 'wal/../../x', bytes: 0, sha256: '0'.repeat(64) }])),
      'a path of a backup',
    ],
    ['no manifest', (path) => rmSync(join(path, MANIFEST)), 'is not a complete backup'],
    ['a newer version', (path) => changeManifest(path, (m) => (m.fanion = '9.1.0')), 'was written by Fanion 9.1.0'],
    [
      'a newer format',
      (path) =>
        changeManifest(path, (m) =>
          Object.assign(m, { format: ROWS_FORMAT + 1, fanion: '9.2.0', files: 'in another way' }),
        ),
      'restore it with that version or a newer one',
    ],
  ];
  it.each(damages)('%s', async (_, damage, message) => {
    const { path } = await write();
    damage(path);
    await expect(verify(path)).rejects.toThrow(message);
    await expect(restore(path, join(work, 'data'))).rejects.toThrow(message);
    expect(existsSync(join(work, 'data'))).toBe(false);
  });

  it('many wrong files, of which it names ten', async () => {
    const { path } = await write();
    for (let n = 0; n < 15; n++) writeFileSync(join(path, `extra-${n}`), '');
    await expect(verify(path)).rejects.toThrow('and 5 more');
  });
});

describe('a restore', () => {
  it.each(['telemetry', 'secret.key'])('refuses a directory that holds %s, and leaves it as it is', async (name) => {
    const { path } = await write();
    mkdirSync(join(work, 'data', name), { recursive: true });
    await expect(restore(path, join(work, 'data'))).rejects.toThrow(`already holds ${name}`);
    expect(readdirSync(join(work, 'data'))).toEqual([name]);
  });

  it('into a directory with files of others leaves nothing of a failure', async () => {
    const { path } = await write();
    mkdirSync(join(work, 'data/lost+found'), { recursive: true });
    mkdirSync(join(work, 'data/restore.partial/telemetry'), { recursive: true });
    // What this test wrote as a database is not a tar file.
    await expect(restore(path, join(work, 'data'))).rejects.toThrow('cannot be restored');
    expect(readdirSync(join(work, 'data'))).toEqual(['lost+found']);
  });
});
