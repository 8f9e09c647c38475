import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Manifest } from '@fanion/server';
import { backupPlace, backupSource, meanwhileText } from '../files/backup-place.ts';
import { UsageError } from '../files/connection-options.ts';
import { systemUser } from '../files/system-user.ts';
import type { Terminal } from '../files/terminal.ts';
import type { Command } from './command.ts';

/** Needs a stopped server. */
export const restore: Command = {
  name: 'restore',
  operands: 'BACKUP',
  summary: 'restore a whole server from a backup, or its control plane from a snapshot',
  example: 'fanion restore /mnt/backups/20261128T150405123Z --data ./data',
  options: {
    data: { type: 'string', value: 'DIR', help: 'data directory; FANION_DATA_DIR, else ./data' },
    verify: { type: 'boolean', help: 'only check that a backup is complete and undamaged' },
  },
  notes: `BACKUP is a directory or s3://BUCKET/PREFIX/TIME that fanion backup wrote, for a data directory without a server's files; or a file from <data>/backups,
which replaces the control plane and keeps the previous one beside it. A backup of PostgreSQL or ClickHouse goes into the empty stores that
DATABASE_URL and CLICKHOUSE_URL name, and into the data directory where one is not set. After an error or a kill, run the command again.`,
  async run({ texts, flags, operands }, terminal) {
    const [given, ...more] = operands;
    if (given === undefined || more.length > 0)
      throw new UsageError('name a snapshot or a backup, and no more than one');
    const from = await backupPlace(given);
    const isLocal = from.startsWith('/');
    if (isLocal && !existsSync(from)) throw new UsageError(`${given} does not exist`);
    const data = resolve(texts.data ?? terminal.env.FANION_DATA_DIR ?? './data');
    const isBackup = !isLocal || statSync(from).isDirectory();
    if (flags.has('verify')) {
      if (!isBackup) throw new UsageError('--verify needs a directory that fanion backup wrote');
      const { verifyBackup, version } = await import('@fanion/server');
      const source = await backupSource(from, terminal);
      const manifest = await verifyBackup(source, version, telling('checking', terminal)).finally(() => source.close());
      terminal.out(`${from} is complete and undamaged: ${await contentOf(manifest)}`);
      await tellMeanwhile(manifest, terminal);
      return 0;
    }
    const restorer = { at: new Date().toISOString(), by: systemUser(terminal.env) };
    if (!isBackup) return restoreSnapshot(from, data, restorer, terminal);
    const { restore: restoreWhole, readStoreSettings } = await import('@fanion/server');
    const on = { verified: telling('checking', terminal), copied: telling('copying', terminal) };
    const backup = await backupSource(from, terminal);
    const stores = readStoreSettings(terminal.env);
    const { manifest, notCompared } = await restoreWhole({ backup, dataDir: data, stores, restorer }, on).finally(() =>
      backup.close(),
    );
    const into = [
      ...(stores.databaseUrl === undefined ? [] : ['PostgreSQL']),
      ...(stores.clickhouseUrl === undefined ? [] : ['ClickHouse']),
    ];
    terminal.out(
      `restored ${from} into ${into.length < 2 ? [...into, data].join(' and ') : into.join(' and ')}: ${await contentOf(manifest)}`,
    );
    await tellMeanwhile(manifest, terminal);
    if (notCompared.length > 0)
      terminal.err(
        `Not compared in full, since the backup has no hash of all their values: ${notCompared.join(', ')}. Their rows were counted.`,
      );
    if (manifest.secretKey !== 'included')
      terminal.err('Its secret key is not included: start the server with the same FANION_SECRET_KEY as before.');
    return 0;
  },
};

async function restoreSnapshot(
  snapshot: string,
  data: string,
  restorer: { readonly at: string; readonly by: string },
  terminal: Terminal,
): Promise<number> {
  const { leaveRestored, restoredOf } = await import('@fanion/server');
  const { lockDataDirectory, restoreControlSnapshot } = await import('@fanion/embedded');
  const lock = lockDataDirectory(data);
  try {
    await restoreControlSnapshot({ snapshot, dir: join(data, 'control') });
    await leaveRestored(data, restoredOf(restorer, snapshot));
    terminal.out(`restored ${snapshot} into ${join(data, 'control')}`);
    return 0;
  } finally {
    lock.release();
  }
}

/** Tells how far it is, in steps of ten percent. */
function telling(what: string, terminal: Terminal): (done: number, total: number) => void {
  let told = -1;
  return (done, total) => {
    const percent = Math.floor((done / Math.max(1, total)) * 10) * 10;
    if (percent > told) terminal.err(`${what}: ${percent} %`);
    told = Math.max(told, percent);
  };
}

async function tellMeanwhile(manifest: Manifest, terminal: Terminal): Promise<void> {
  const { summaryOf } = await import('@fanion/server');
  const { meanwhile } = summaryOf(manifest);
  if (meanwhile !== undefined) terminal.err(meanwhileText(meanwhile));
}

async function contentOf(manifest: Manifest): Promise<string> {
  const { bytesText, summaryOf } = await import('@fanion/server');
  const { taken, fanion, workspaces } = manifest;
  const { rows, log, files, bytes } = summaryOf(manifest);
  return [
    `taken ${taken} by Fanion ${fanion}`,
    ...(workspaces === null ? [] : [`${workspaces} workspaces`]),
    `${rows} rows of telemetry`,
    ...(log === undefined ? [] : [`${bytesText(log.bytes)} of the write-ahead log`]),
    `${files} files, ${bytesText(bytes)}`,
  ].join(', ');
}
