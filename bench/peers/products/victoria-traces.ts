import { freePort } from '../../../test/support/server-process.ts';
import { type Product, type Question, unasked, type Window } from '../product.ts';
import { json } from '../run/http.ts';
import { inFolder, startProgram } from '../run/program.ts';
import { logsQl } from './victoria-logs.ts';

/**
 * VictoriaTraces, single node, with its defaults: https://docs.victoriametrics.com/victoriatraces/ Traces by its Jaeger API; searches
 * for spans by LogsQL, which answers with spans as Fanion does, and not with whole traces.
 */
export const victoriaTraces: Product = {
  name: 'VictoriaTraces',
  signals: ['traces'],
  find: (binaries) => inFolder(binaries, 'victoria-traces'),
  async start(program) {
    const port = await freePort();
    const base = `http://127.0.0.1:${port}`;
    const args = (directory: string) => [`-storageDataPath=${directory}/data`, `-httpListenAddr=127.0.0.1:${port}`];
    const started = await startProgram(program, { args, ready: `${base}/health` });
    const ask = (query: string, window: Window, limit?: number) =>
      logsQl(`${base}/select/logsql/query`, query, window, limit);
    const spans = async (service: string, attribute: string, value: string, window: Window) => {
      const query = `{"resource_attr:service.name"="${service}"} "span_attr:${attribute}":="${value}"`;
      return (await ask(query, window, 20)).length;
    };
    return {
      ...started,
      writes: { traces: { port, path: '/insert/opentelemetry/v1/traces' } },
      // It keeps an index of traces in streams of its own, which are no spans.
      count: async (_, window) => Number((await ask('span_id:* | stats count() n', window))[0]?.n),
      async ask(question: Question, window) {
        switch (question.kind) {
          case 'trace by id': {
            const answer = await json<JaegerTraces>(`${base}/select/jaeger/api/traces/${question.traceId}`);
            return answer.data[0]?.spans.length ?? 0;
          }
          case 'rare attribute':
            return spans(question.service, 'app.customer.id', question.customer, window);
          case 'frequent attribute':
            return spans(question.service, 'http.route', question.route, window);
          default:
            throw unasked(question);
        }
      },
    };
  },
};

/** What Jaeger's query API answers. */
interface JaegerTraces {
  readonly data: readonly { readonly spans: readonly unknown[] }[];
}
