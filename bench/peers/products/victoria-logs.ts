import { freePort } from '../../../test/support/server-process.ts';
import { type Product, type Question, unasked, type Window } from '../product.ts';
import { get, search } from '../run/http.ts';
import { inFolder, startProgram } from '../run/program.ts';

/** VictoriaLogs, single node, with its defaults: https://docs.victoriametrics.com/victorialogs/ */
export const victoriaLogs: Product = {
  name: 'VictoriaLogs',
  signals: ['logs'],
  find: (binaries) => inFolder(binaries, 'victoria-logs'),
  async start(program) {
    const port = await freePort();
    const base = `http://127.0.0.1:${port}`;
    const args = (directory: string) => [`-storageDataPath=${directory}/data`, `-httpListenAddr=127.0.0.1:${port}`];
    const started = await startProgram(program, { args, ready: `${base}/health` });
    const ask = (query: string, window: Window, limit?: number) =>
      logsQl(`${base}/select/logsql/query`, query, window, limit);
    return {
      ...started,
      writes: { logs: { port, path: '/insert/opentelemetry/v1/logs' } },
      count: async (_, window) => Number((await ask('* | stats count() n', window))[0]?.n),
      async ask(question: Question, window) {
        switch (question.kind) {
          case 'rare word':
            return (await ask(`"${question.word}"`, window, 20)).length;
          case 'count by severity':
            return (await ask('* | stats by (severity) count() n', window)).reduce((sum, { n }) => sum + Number(n), 0);
          case 'top 10 of 50,000':
            return (await ask('* | stats by (app.customer.id) count() n | sort by (n desc) limit 10', window)).length;
          default:
            throw unasked(question);
        }
      },
    };
  },
};

/** The lines of an answer of LogsQL: one JSON object each. With a limit, the newest. */
export async function logsQl(
  url: string,
  query: string,
  { from, to }: Window,
  limit?: number,
): Promise<Record<string, string>[]> {
  const times = { start: new Date(from).toISOString(), end: new Date(to).toISOString() };
  const { status, text } = await get(`${url}?${search({ query, ...times, ...(limit !== undefined && { limit }) })}`);
  if (status !== 200) throw new Error(`${query}: ${status} ${text.slice(0, 300)}`);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, string>);
}
