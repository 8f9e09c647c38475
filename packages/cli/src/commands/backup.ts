import { resolve } from 'node:path';
import { backupPlace, meanwhileText } from '../files/backup-place.ts';
import { UsageError } from '../files/connection-options.ts';
import { systemUser } from '../files/system-user.ts';
import type { Command } from './command.ts';

/** Of a running server through its socket in the data directory; else of the stores that the environment names, or of the data directory. */
export const backup: Command = {
  name: 'backup',
  operands: 'DIR|s3://BUCKET/PREFIX',
  summary: 'back up a whole server, while it runs or stopped',
  example: 'fanion backup /mnt/backups --data /var/lib/fanion',
  options: { data: { type: 'string', value: 'DIR', help: 'data directory; FANION_DATA_DIR, else ./data' } },
  notes: `Writes DIR/<time>/, with everything that was acknowledged before. Ingest continues during the backup. Ctrl-C cancels it and removes what was written.
A running server writes the backup itself, and opens a bucket with the credentials of its own environment (AWS_ACCESS_KEY_ID …).
If a store is in PostgreSQL or ClickHouse, the backup holds all rows of both stores from before it began. The command reads
them itself where no server runs on the data directory: set DATABASE_URL and CLICKHOUSE_URL as the servers have them.
The backup contains all personal data, and the secret key unless that is FANION_SECRET_KEY: protect it. fanion restore DIR/<time> restores it.

Exit codes: 0 complete; 1 failed, nothing is left; 2 a mistake in the call`,
  async run({ texts, operands }, terminal) {
    const [given, ...more] = operands;
    if (given === undefined || more.length > 0)
      throw new UsageError('name one directory or bucket, which gets the backup');
    const dataDir = resolve(texts.data ?? terminal.env.FANION_DATA_DIR ?? './data');
    const to = await backupPlace(given);
    const { backUp, bytesText, readS3Settings, readStoreSettings } = await import('@fanion/server');
    const stop = new AbortController();
    process.once('SIGINT', () => stop.abort(new Error('cancelled')));
    let told = '';
    const onProgress: Parameters<typeof backUp>[1]['onProgress'] = ({ phase, done, total }) => {
      const percent = `${Math.floor((done / Math.max(1, total)) * 10) * 10} %`;
      const text = {
        pausing: 'taking a snapshot',
        copying: `copying ${bytesText(total)}: ${percent}`,
        'copying accounts and flags': 'copying accounts and flags',
        'copying rows': `copying ${total} rows of telemetry: ${percent}`,
      }[phase];
      if (text !== told) terminal.err(text);
      told = text;
    };
    const settings = { s3: readS3Settings(terminal.env), stores: readStoreSettings(terminal.env) };
    const request = { dataDir, to, ...settings, by: systemUser(terminal.env), now: () => Date.now() };
    const done = await backUp(request, { onProgress, signal: stop.signal });
    terminal.out(done.path);
    const log = done.log === undefined ? '' : `, ${bytesText(done.log.bytes)} of the write-ahead log`;
    terminal.err(`${done.files} files, ${bytesText(done.bytes)}, ${done.rows} rows of telemetry${log}`);
    if (done.meanwhile !== undefined) {
      terminal.err('What waits in the write-ahead logs of the servers is not included.');
      terminal.err(meanwhileText(done.meanwhile));
    }
    if (done.secretKey !== 'included')
      terminal.err('Its secret key is not included: keep the value of FANION_SECRET_KEY yourself.');
    return 0;
  },
};
