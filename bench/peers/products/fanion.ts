import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { signUp, until } from '../../../packages/server/src/testing/test-client.ts';
import { freePort, startProcess } from '../../../test/support/server-process.ts';
import { remoteWriteHeaders } from '../../support/post-bodies.ts';
import type { Product, Question, Window } from '../product.ts';
import { get, json } from '../run/http.ts';
import { metricName } from '../run/samples.ts';

const program = fileURLToPath(new URL('../../../packages/cli/dist/main.js', import.meta.url));
const BUCKET = '5m';

interface Rows {
  readonly data: { readonly rows: readonly (readonly unknown[])[] };
}

/** The built server with its embedded stores, as `npm start` runs it: every write with `fsync`, every request with a credential. */
export const fanion: Product = {
  name: 'Fanion',
  signals: ['traces', 'logs', 'metrics'],
  find: () => (existsSync(program) ? { program } : { missing: 'it is not built: run npm run build' }),
  async start() {
    const directory = mkdtempSync(join(tmpdir(), 'fanion-bench-peer-'));
    const port = await freePort();
    const base = `http://127.0.0.1:${port}`;
    // Other ports than those of a server that runs already, and no limit of items that the bench would meet before the machine's.
    const { child, end } = startProcess(['serve'], {
      FANION_DATA_DIR: directory,
      FANION_PORT: String(port),
      FANION_OTLP_HTTP_PORT: '0',
      FANION_OTLP_GRPC_PORT: '0',
      FANION_FLAGD_PORT: '0',
      FANION_FLAGD_SYNC_PORT: '0',
      FANION_PROJECT_ITEMS_PER_SECOND: '100000000',
      FANION_PROJECT_BYTES_PER_SECOND: '100000000000',
      FANION_REQUESTS_PER_MINUTE: '1000000',
    });
    await until(
      () =>
        get(`${base}/readyz`).then(
          ({ status }) => status === 200,
          () => false,
        ),
      100_000,
    );
    const user = await signUp(base);
    const ingest = { authorization: `Bearer ${await user.token(['telemetry:ingest'])}` };
    const reader = { authorization: `Bearer ${await user.token(['telemetry:query'])}` };
    const query = async (oql: string, { from, to }: Window) => {
      const body = {
        query: oql,
        project: user.projectId,
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
      };
      return (await json<Rows>(`${base}${user.workspace}/query`, reader, body)).data.rows;
    };
    const counts = { traces: 'spans', logs: 'logs', metrics: `metric ${metricName}` };
    return {
      pid: child.pid ?? 0,
      directory,
      writes: {
        traces: { port, path: '/v1/traces', headers: ingest },
        logs: { port, path: '/v1/logs', headers: ingest },
        metrics: { port, path: '/prometheus/api/v1/write', headers: { ...ingest, ...remoteWriteHeaders } },
      },
      count: async (signal, window) => Number((await query(`${counts[signal]} | stats n=count()`, window))[0]?.[0]),
      async ask(question: Question, window) {
        switch (question.kind) {
          case 'trace by id': {
            const path = `${user.workspace}/traces/${question.traceId}?project=${user.projectId}`;
            return (await json<{ data: { spans: unknown[] } }>(base + path, reader)).data.spans.length;
          }
          case 'count by severity': {
            const rows = await query('logs | stats n=count() by severity', window);
            return rows.reduce((sum, row) => sum + Number(row.at(-1)), 0);
          }
          case 'rate by job, 1,000 series':
          case 'rate by shard, 50 series':
            // A row for each bucket of each series.
            return new Set((await query(oqlOf(question), window)).map(([series]) => series)).size;
          default:
            return (await query(oqlOf(question), window)).length;
        }
      },
      async stop() {
        await end('SIGTERM');
        rmSync(directory, { recursive: true, force: true });
      },
    };
  },
};

function oqlOf(question: Exclude<Question, { kind: 'trace by id' | 'count by severity' }>): string {
  switch (question.kind) {
    case 'rare attribute':
      return `spans | where service.name == "${question.service}" and app.customer.id == "${question.customer}" | limit 20`;
    case 'frequent attribute':
      return `spans | where service.name == "${question.service}" and http.route == "${question.route}" | limit 20`;
    case 'rare word':
      return `logs | where body has "${question.word}" | limit 20`;
    case 'top 10 of 50,000':
      return 'logs | stats n=count() by app.customer.id | sort -n | limit 10';
    case 'rate by job, 1,000 series':
      return `metric ${metricName} | promrate ${BUCKET} | sum by job, bucket(${BUCKET})`;
    case 'rate by shard, 50 series':
      return `metric ${metricName} | where job == "${question.job}" | promrate ${BUCKET} | sum by shard, bucket(${BUCKET})`;
  }
}
