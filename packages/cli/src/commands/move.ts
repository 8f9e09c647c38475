import { resolve } from 'node:path';
import type { MoveDone, MoveRequest } from '@fanion/server';
import { UsageError } from '../files/connection-options.ts';
import { systemUser } from '../files/system-user.ts';
import type { Terminal } from '../files/terminal.ts';
import type { Call, Command } from './command.ts';

/** Needs the user of the server, on its machine. */
export const move: Command = {
  name: 'move',
  summary: 'move a server from its embedded stores to PostgreSQL and ClickHouse while it runs, or back',
  example: 'fanion move --to-database postgres://fanion@db/fanion --to-clickhouse http://fanion@ch:8123',
  options: {
    'to-database': { type: 'string', value: 'URL', help: 'an empty PostgreSQL database, for accounts and flags' },
    'to-clickhouse': {
      type: 'string',
      value: 'URL',
      help: 'a ClickHouse server without a database fanion, for telemetry',
    },
    'to-embedded': { type: 'boolean', help: 'back: from DATABASE_URL and CLICKHOUSE_URL into the data directory' },
    data: { type: 'string', value: 'DIR', help: 'data directory; FANION_DATA_DIR, else ./data' },
  },
  notes: `Ingest continues while telemetry is copied, and goes to the write-ahead log in the pause at the end. Then the server ends: start it with
DATABASE_URL, CLICKHOUSE_URL and FANION_SECRET_KEY. The old stores stay in the data directory until you delete them. After an error, Ctrl-C
or a kill, run the command again: it continues. --to-embedded needs servers that are stopped.

Exit codes: 0 moved; 1 failed, the source is unchanged and in use; 2 a mistake in the call`,
  async run({ texts, flags }, terminal) {
    const request = requestOf(texts, flags, terminal);
    const { moveStores } = await import('@fanion/server');
    let told = '';
    const done = await moveStores(request, (phase, rows) => {
      const text = rows === undefined ? phase : `${phase}: ${percentOf(rows)} % of ${rows.total} rows`;
      if (text !== told) terminal.err(text);
      told = text;
    });
    terminal.out(summaryOf(done));
    for (const line of nextSteps(request, done)) terminal.err(line);
    return 0;
  },
};

function requestOf(texts: Call['texts'], flags: Call['flags'], { env }: Terminal): MoveRequest {
  const dataDir = resolve(texts.data ?? env.FANION_DATA_DIR ?? './data');
  const given = { database: texts['to-database'], clickhouse: texts['to-clickhouse'] };
  const isBack = flags.has('to-embedded');
  if (isBack && (given.database !== undefined || given.clickhouse !== undefined))
    throw new UsageError('--to-embedded moves back, from DATABASE_URL and CLICKHOUSE_URL: leave out the other options');
  const databaseUrl = isBack ? env.DATABASE_URL : given.database;
  const clickhouseUrl = isBack ? env.CLICKHOUSE_URL : given.clickhouse;
  if (databaseUrl === undefined && clickhouseUrl === undefined)
    throw new UsageError(
      isBack
        ? 'set DATABASE_URL, CLICKHOUSE_URL or both, as the server had them'
        : 'name a target: --to-database URL, --to-clickhouse URL or both; or --to-embedded to move back',
    );
  checkUrl('a PostgreSQL URL, such as postgres://user:password@host:5432/database', databaseUrl, /^postgres(ql)?:\/\//);
  checkUrl('a ClickHouse URL, such as http://user:password@host:8123', clickhouseUrl, /^https?:\/\//);
  return {
    ...{ dataDir, to: isBack ? 'embedded' : 'external', databaseUrl, clickhouseUrl },
    stayingDatabaseUrl: databaseUrl === undefined ? env.DATABASE_URL : undefined,
    by: systemUser(env),
    now: () => Date.now(),
  };
}

function checkUrl(expected: string, url: string | undefined, scheme: RegExp): void {
  if (url !== undefined && !(scheme.test(url) && URL.canParse(url.replace('@/', '@localhost/'))))
    throw new UsageError(`not ${expected}`);
}

function percentOf({ done, total }: { readonly done: number; readonly total: number }): number {
  return Math.floor((done / Math.max(1, total)) * 10) * 10;
}

function summaryOf({ outcome, telemetryRows, controlRows, pausedMs }: MoveDone): string {
  if (outcome === 'completed') return 'completed a move that had made the switch before';
  return `moved ${telemetryRows} rows of telemetry and ${controlRows} rows of accounts and flags; writes were paused for ${(pausedMs / 1_000).toFixed(1)} s`;
}

function nextSteps({ to, dataDir }: MoveRequest, { stores }: MoveDone): string[] {
  const variables = stores.map((store) => (store === 'control' ? 'DATABASE_URL' : 'CLICKHOUSE_URL')).join(' and ');
  if (to === 'embedded') return [`Start the server on ${dataDir} without ${variables}.`];
  const key = stores.includes('control') ? ` and, if it is not set, FANION_SECRET_KEY_FILE=${dataDir}/secret.key` : '';
  return [`Start the server with ${variables} set to the targets${key}, and the same data directory ${dataDir}.`];
}
