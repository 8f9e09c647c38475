import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type LogRecord, type Point, readLogs, readPoints, readSpans, type Span } from './otlp.ts';

export interface RecordedCall {
  method: string;
  path: string;
  body: unknown;
  headers: IncomingMessage['headers'];
}

export interface ProfilesRequest {
  readonly resourceProfiles: readonly {
    readonly scopeProfiles: readonly { readonly profiles: readonly { readonly samples: readonly object[] }[] }[];
  }[];
  readonly dictionary: { readonly stringTable: readonly string[]; readonly stackTable: readonly object[] };
}

/** A server that accepts OTLP, answers OFREP and the few routes of the set-up, and records requests. */
export interface RecordingServer {
  endpoint: string;
  spans: Span[];
  logs: LogRecord[];
  points: Point[];
  /** Requests as they came. */
  profiles: ProfilesRequest[];
  calls: RecordedCall[];
  /** The next requests to this path get this response instead. */
  answerOnce(path: string, status: number, headers?: Record<string, string>): void;
  /** All requests to this path get this response instead. */
  answerAlways(path: string, status: number): void;
  close(): Promise<void>;
}

/** The evaluation of a flag for a context. */
export type FlagAnswer = (key: string, context: Record<string, unknown>) => { value: unknown; variant: string };

export async function startRecordingServer(options: { answer?: FlagAnswer } = {}): Promise<RecordingServer> {
  const once = new Map<string, { status: number; headers: Record<string, string> }[]>();
  const always = new Map<string, number>();
  const accounts = new Set<string>();
  const flags = new Map<string, Record<string, unknown>>();
  const releases = new Set<string>();
  const experiments = new Set<string>();
  /** What has been created under the other paths of the workspace. */
  const created = new Map<string, unknown[]>();
  const recorded = {
    spans: [] as Span[],
    logs: [] as LogRecord[],
    points: [] as Point[],
    profiles: [] as ProfilesRequest[],
    calls: [] as RecordedCall[],
  };

  function respond(path: string, method: string, body: Buffer, response: ServerResponse, call: RecordedCall): void {
    const planned =
      once.get(path)?.shift() ?? (always.has(path) ? { status: always.get(path) ?? 500, headers: {} } : undefined);
    if (planned) return void response.writeHead(planned.status, planned.headers).end();
    const json = (status: number, value: unknown, headers = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
    const data = (status: number, value: unknown, headers = {}) =>
      json(status, { data: value, error: null, meta: {} }, headers);
    const refuse = (status: number, message: string) =>
      json(status, { data: null, error: { code: 'SVC-1000', message, status } });
    const cookie = { 'set-cookie': 'svc_session=abc; HttpOnly; Path=/' };

    if (path === '/v1/traces') recorded.spans.push(...readSpans(body));
    if (path === '/v1/logs') recorded.logs.push(...readLogs(body));
    if (path === '/v1/metrics') recorded.points.push(...readPoints(body));
    if (path === '/v1development/profiles') recorded.profiles.push(JSON.parse(body.toString()));
    if (path.startsWith('/v1')) return void response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();

    recorded.calls.push(call);
    if (path === '/readyz') return void response.writeHead(200).end('{}');
    const ofrep = /^\/ofrep\/v1\/evaluate\/flags\/(.+)$/.exec(path);
    if (ofrep?.[1]) {
      const { context } = JSON.parse(body.toString()) as { context: Record<string, unknown> };
      const answer = options.answer?.(ofrep[1], context);
      if (!answer) return void json(404, { key: ofrep[1], errorCode: 'FLAG_NOT_FOUND' });
      return void json(200, {
        key: ofrep[1],
        ...answer,
        reason: 'SPLIT',
        metadata: { flagVersion: 7, flagSetId: 'shop' },
      });
    }
    const mutates = method !== 'GET';
    if (mutates && call.headers.origin !== server.endpoint) return void refuse(403, 'cross-site request');
    const sent = (call.body ?? {}) as Record<string, unknown>;
    if (path === '/api/v1/auth/signup') {
      const email = String(sent.email);
      if (accounts.has(email)) return void refuse(409, 'the account exists');
      accounts.add(email);
      return void data(201, { user: {}, workspace: { id: 'w1' } }, cookie);
    }
    if (path === '/api/v1/auth/login') {
      return void (accounts.has(String(sent.email)) ? data(200, {}, cookie) : refuse(401, 'wrong e-mail or password'));
    }
    if (call.headers.cookie !== 'svc_session=abc') return void refuse(401, 'sign in first');
    if (path === '/api/v1/workspaces') return void data(200, [{ id: 'w1', slug: 'demo-shop', name: 'Demo shop' }]);
    if (path === '/api/v1/workspaces/w1/query')
      return void json(200, { data: { rows: [] }, error: null, meta: { completeness: { unstored: null } } });
    const kind = /^\/api\/v1\/workspaces\/w1\/(alert-rules|channels|dashboards|routing-policies|silences|slos)$/.exec(
      path,
    )?.[1];
    if (kind) {
      const known = created.get(kind) ?? [];
      if (method === 'GET') return void data(200, known);
      created.set(kind, [...known, { id: `${kind}-${known.length}`, ...sent }]);
      return void data(201, created.get(kind)?.at(-1));
    }
    if (path === '/api/v1/workspaces/w1/projects')
      return void data(200, [{ id: 'p1', key: 'default', name: 'Default' }]);
    if (path.startsWith('/api/v1/tokens')) {
      if (method === 'DELETE') return void response.writeHead(204).end();
      return void data(201, { id: 't1', token: 'svc_pat_1' });
    }
    const project = '/api/v1/workspaces/w1/projects/p1';
    if (path === `${project}/flag-keys`) return void data(201, { id: 'k1', key: 'svc_sdk_1' });
    if (path === `${project}/flags`) {
      const key = String(sent.key);
      if (flags.has(key)) return void refuse(409, 'the flag exists');
      flags.set(key, { enabled: false, rules: [], targets: [], version: 0 });
      return void data(201, sent);
    }
    if (path === `${project}/metrics`) return void data(201, sent);
    if (path.startsWith(`${project}/experiments`)) {
      const key = String(sent.key);
      if (path.endsWith('/start')) return void data(200, {});
      if (experiments.has(key)) return void refuse(409, 'the experiment exists');
      experiments.add(key);
      return void data(201, sent);
    }
    const release = /\/flags\/([^/]+)\/guarded-release(\/arm)?$/.exec(path);
    if (release?.[1]) {
      if (method === 'GET' && !releases.has(release[1])) return void refuse(404, 'there is no guarded release');
      releases.add(release[1]);
      return void data(200, {});
    }
    const targeting = /\/environments\/production\/flags\/(.+)$/.exec(path)?.[1];
    if (targeting) {
      const current = flags.get(targeting) ?? {};
      if (method === 'GET') return void data(200, current);
      flags.set(targeting, { ...sent, version: Number(current.version) + 1 });
      return void data(200, flags.get(targeting));
    }
    refuse(404, 'not found');
  }

  const http = createServer((request, response) => {
    // Tests check the answers of Fanion's servers against the API document; this one only imitates them.
    response.setHeader('x-test-double', '1');
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const path = (request.url ?? '').split('?')[0] ?? '';
      const isJson = request.headers['content-type'] === 'application/json' && body.length > 0;
      const method = request.method ?? '';
      respond(path, method, body, response, {
        method,
        path,
        body: isJson ? JSON.parse(body.toString()) : undefined,
        headers: request.headers,
      });
    });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const address = http.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const server: RecordingServer = {
    endpoint: `http://127.0.0.1:${address.port}`,
    ...recorded,
    answerOnce(path, status, headers = {}) {
      once.set(path, [...(once.get(path) ?? []), { status, headers }]);
    },
    answerAlways: (path, status) => void always.set(path, status),
    close: () =>
      new Promise((resolve, reject) => {
        http.close((error) => (error ? reject(error) : resolve()));
        http.closeAllConnections();
      }),
  };
  return server;
}
