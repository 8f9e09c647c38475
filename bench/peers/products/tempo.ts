import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../test/support/server-process.ts';
import { type Product, type Question, unasked, type Window } from '../product.ts';
import { get, json, search } from '../run/http.ts';
import { inFolder, startProgram } from '../run/program.ts';

interface Found {
  readonly traces?: readonly unknown[];
}
interface Trace {
  readonly batches?: readonly { readonly scopeSpans: readonly { readonly spans: readonly unknown[] }[] }[];
}

/** Tempo in one process with local storage. Its searches answer with summaries of traces. */
export const tempo: Product = {
  name: 'Tempo',
  signals: ['traces'],
  find: (binaries) => inFolder(binaries, 'tempo'),
  async start(program) {
    const [port, grpc, otlp] = await Promise.all([1, 2, 3].map(() => freePort()));
    const base = `http://127.0.0.1:${port}`;
    const started = await startProgram(program, {
      args: (directory) => {
        const config = join(directory, 'tempo.yaml');
        // YAML, which JSON is a part of.
        writeFileSync(config, JSON.stringify(configOf(directory, { port, grpc, otlp })));
        return [`-config.file=${config}`];
      },
      ready: `${base}/ready`,
    });
    const traces = async (service: string, tag: string, value: string, { from, to }: Window) => {
      const q = `{resource.service.name="${service}" && span.${tag}="${value}"}`;
      const range = { start: Math.floor(from / 1000), end: Math.ceil(to / 1000) };
      return (await json<Found>(`${base}/api/search?${search({ q, ...range, limit: 20 })}`)).traces?.length ?? 0;
    };
    return {
      ...started,
      writes: { traces: { port: otlp ?? 0, path: '/v1/traces' } },
      // It cannot count what it holds. What its distributor has taken is all that it tells.
      async count() {
        const { text } = await get(`${base}/metrics`);
        return Number(/^tempo_distributor_spans_received_total\{.*\} (\S+)$/m.exec(text)?.[1] ?? 0);
      },
      async ask(question: Question, window) {
        switch (question.kind) {
          case 'trace by id': {
            const { batches = [] } = await json<Trace>(`${base}/api/traces/${question.traceId}`);
            return batches.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)).length;
          }
          case 'rare attribute':
            return traces(question.service, 'app.customer.id', question.customer, window);
          case 'frequent attribute':
            return traces(question.service, 'http.route', question.route, window);
          default:
            throw unasked(question);
        }
      },
    };
  },
};

type Ports = Readonly<Record<'port' | 'grpc' | 'otlp', number | undefined>>;

/** Its limits are raised as far as the data need it; it reports no usage to anybody. */
function configOf(directory: string, { port, grpc, otlp }: Ports) {
  const local = { backend: 'local', local: { path: join(directory, 'blocks') }, wal: { path: join(directory, 'wal') } };
  return {
    server: {
      http_listen_address: '127.0.0.1',
      http_listen_port: port,
      grpc_listen_address: '127.0.0.1',
      grpc_listen_port: grpc,
      log_level: 'error',
    },
    distributor: { receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${otlp}` } } } } },
    storage: { trace: local },
    overrides: {
      defaults: { ingestion: { rate_limit_bytes: 1_000_000_000, burst_size_bytes: 1_000_000_000 } },
    },
    usage_report: { reporting_enabled: false },
  };
}
