import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../test/support/server-process.ts';
import { type Product, type Question, unasked, type Window } from '../product.ts';
import { get, json, search } from '../run/http.ts';
import { inFolder, startProgram } from '../run/program.ts';

interface Trace {
  readonly result: {
    readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly unknown[] }[] }[];
  };
}

/** Jaeger 2 in one process with its embedded store, Badger, asked by API v3. Its searches answer with summaries of traces. */
export const jaeger: Product = {
  name: 'Jaeger',
  signals: ['traces'],
  find: (binaries) => inFolder(binaries, 'jaeger'),
  async start(program) {
    const [query, grpc, otlp, metrics, health] = await Promise.all([1, 2, 3, 4, 5].map(() => freePort()));
    const base = `http://127.0.0.1:${query}`;
    const started = await startProgram(program, {
      args: (directory) => {
        const config = join(directory, 'jaeger.json');
        writeFileSync(config, JSON.stringify(configOf(directory, { query, grpc, otlp, metrics, health })));
        return ['--config', config];
      },
      ready: `${base}/api/v3/services`,
    });
    const traces = async (service: string, tag: string, value: string, { from, to }: Window) => {
      const asked = search({
        'query.serviceName': service,
        'query.attributes': JSON.stringify({ [tag]: value }),
        'query.startTimeMin': new Date(from).toISOString(),
        'query.startTimeMax': new Date(to).toISOString(),
        'query.searchDepth': 20,
      });
      return (await json<{ summaries?: unknown[] }>(`${base}/api/v3/trace-summaries?${asked}`)).summaries?.length ?? 0;
    };
    return {
      ...started,
      writes: { traces: { port: otlp ?? 0, path: '/v1/traces' } },
      // It cannot count what it holds. Spans that it has handed to its store can be read.
      async count() {
        const { text } = await get(`http://127.0.0.1:${metrics}/metrics`);
        return Number(/^otelcol_exporter_sent_spans(?:_total)?\{.*\} (\S+)$/m.exec(text)?.[1] ?? 0);
      },
      async ask(question: Question, window) {
        switch (question.kind) {
          case 'trace by id': {
            const { result } = await json<Trace>(`${base}/api/v3/traces/${question.traceId}`);
            return result.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)).length;
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

type Ports = Readonly<Record<'query' | 'grpc' | 'otlp' | 'metrics' | 'health', number | undefined>>;

function configOf(directory: string, { query, grpc, otlp, metrics, health }: Ports) {
  const at = (port: number | undefined) => ({ endpoint: `127.0.0.1:${port}` });
  const reader = { pull: { exporter: { prometheus: { host: '127.0.0.1', port: metrics } } } };
  return {
    service: {
      extensions: ['jaeger_storage', 'jaeger_query', 'healthcheckv2'],
      pipelines: { traces: { receivers: ['otlp'], processors: ['batch'], exporters: ['jaeger_storage_exporter'] } },
      telemetry: { logs: { level: 'error' }, metrics: { level: 'normal', readers: [reader] } },
    },
    extensions: {
      healthcheckv2: { use_v2: true, http: at(health) },
      jaeger_query: { storage: { traces: 'badger' }, enable_tracing: false, http: at(query), grpc: at(grpc) },
      jaeger_storage: {
        backends: {
          badger: {
            badger: {
              directories: { keys: join(directory, 'keys'), values: join(directory, 'values') },
              ephemeral: false,
              ttl: { spans: '48h' },
            },
          },
        },
      },
    },
    receivers: { otlp: { protocols: { http: at(otlp) } } },
    processors: { batch: {} },
    exporters: { jaeger_storage_exporter: { trace_storage: 'badger' } },
  };
}
