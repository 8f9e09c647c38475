import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SignedUp, signUp, testClient, until } from '../../../testing/test-client.ts';
import { startTestServer, type TestServer } from '../../../testing/test-server.ts';

const everyMs = 1_000;
const perSecond = 1_000;
/** As `sharesOf` divides them. */
const mostSpans = 250;

describe('self-telemetry', () => {
  let server: TestServer;
  let operator: SignedUp;
  let stranger: SignedUp;
  let project: { readonly id: string; readonly key: string };

  beforeAll(async () => {
    server = await startTestServer({
      env: {
        FANION_SELF_TELEMETRY: 'on',
        FANION_SELF_TELEMETRY_SECONDS: String(everyMs / 1_000),
        FANION_SELF_TELEMETRY_ITEMS_PER_SECOND: String(perSecond),
        FANION_LOG_LEVEL: 'warn',
        // Nothing listens there: mail makes warnings.
        FANION_SMTP_URL: 'smtp://127.0.0.1:1',
        FANION_MAIL_FROM: 'fanion@example.com',
      },
      logTo: { write() {} },
    });
    operator = await signUp(server.base, 'operator');
    stranger = await signUp(server.base, 'stranger');
    project = await until(async () => {
      const { data } = await operator.get(`${operator.workspace}/projects`);
      return data.find(({ key }: { key: string }) => key === 'fanion');
    });
  });
  afterAll(() => server?.stop());

  async function rows(query: string): Promise<unknown[][]> {
    const answer = await operator.post(`${operator.workspace}/query`, {
      query,
      project: project.id,
      from: 'now-10m',
      to: 'now+1m',
    });
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.data.rows;
  }
  const untilRow = (query: string) =>
    until(async () => {
      const [first] = await rows(query);
      return first;
    });

  async function ownMetric(sample: string): Promise<number> {
    const text = await (await fetch(`${server.base}/internal/metrics`)).text();
    const line = text.split('\n').find((one) => one.startsWith(`${sample} `));
    return Number(line?.slice(sample.length + 1) ?? 0);
  }

  it('creates its project in the oldest workspace only', async () => {
    const { data } = await stranger.get(`${stranger.workspace}/projects`);
    expect(data.map(({ key }: { key: string }) => key)).toEqual(['default']);
    const audit = await operator.get(`/api/v1/audit?workspace=${operator.workspaceId}&action=projects.create`);
    expect(audit.data[0]).toMatchObject({
      actor: { type: 'system', name: 'self-telemetry' },
      resource: { id: project.id },
    });
  });

  it('stores the metrics of /internal/metrics under their names, with the server that they are about', async () => {
    const row = await untilRow(
      'metric fanion_build_info | latest 5m | fields service.name, service.version, fanion.role, value',
    );
    expect(row).toEqual(['fanion', expect.stringMatching(/^\d/), 'api,ingest,flags,jobs', 1]);
    // An increase needs the points of two intervals.
    const untilAboveZero = (query: string) => until(async () => Number((await rows(query))[0]?.[0]) > 0);
    await untilAboveZero('metric fanion_http_requests_total | increase | stats n=sum(value)');
    await untilAboveZero('metric fanion_http_request_duration_seconds | increase | stats p50=p50(value)');
  });

  it('stores a span for each request of the API and of ingest, with the id in the answer', async () => {
    const answer = await operator.get(`${operator.project}/environments`, { 'x-request-id': 'find-me-1' });
    expect(answer.headers.get('x-request-id')).toBe('find-me-1');
    const row = await untilRow(
      'spans | where attributes.fanion.request_id == "find-me-1" | fields name, kind, http.response.status_code, service.name',
    );
    expect(row).toEqual(['GET /api/v1/workspaces/{ws}/projects/{p}/environments', 'server', answer.status, 'fanion']);
    const sender = testClient(server.base, { bearer: await operator.token(['telemetry:ingest']) });
    await sender.post('/v1/logs', { resourceLogs: [] }, { 'x-request-id': 'find-me-2' });
    expect(
      await untilRow('spans | where attributes.fanion.request_id == "find-me-2" | fields http.route, fanion.route'),
    ).toEqual(['/v1/logs', expect.any(String)]);
  });

  it('stores no span for probes and flag evaluations, which have metrics', async () => {
    const sdk = testClient(server.base, { bearer: await operator.sdkKey() });
    await sdk.post('/ofrep/v1/evaluate/flags', { context: { targetingKey: 'ada' } });
    await operator.get('/healthz');
    await operator.get(`${operator.project}/environments`, { 'x-request-id': 'later' });
    await untilRow('spans | where attributes.fanion.request_id == "later" | fields name');
    expect(await rows('spans | where http.route =~ "^/(ofrep|healthz|internal)" | fields name')).toEqual([]);
    await untilRow('metric fanion_http_requests_total | where route =~ "^platform.health" | latest 5m | fields value');
  });

  it('stores the warnings of its log', async () => {
    await operator.post(`${operator.workspace}/invitations`, { email: 'nobody@example.com', role: 'viewer' });
    const row = await untilRow('logs | where body == "a mail could not be sent" | fields severity_text, service.name');
    expect(row).toEqual(['WARN', 'fanion']);
  });

  it('stores as much in each interval when nobody does anything, and never more than its limit', async () => {
    const idleFrom = Date.now();
    // Probes make no telemetry. An interval adds its points at once; a late probe sees those of several.
    const points = () => ownMetric('fanion_self_telemetry_items_total{signal="metrics"}');
    for (let seen = await points(), times = 0; times < 7; times++) {
      const last = seen;
      seen = await until(async () => {
        const now = await points();
        return now > last && now;
      });
    }
    const idleTo = Date.now();
    // At its start, an interval stores how much all before it have stored. The last of these points arrive a little later.
    const idle = await until(async () => {
      const totals = await rows('metric fanion_self_telemetry_items_total | stats n=sum(value) by time | sort time');
      const isIdle = ([time]: unknown[]) =>
        Date.parse(String(time)) > idleFrom + 2 * everyMs && Date.parse(String(time)) <= idleTo;
      const found = totals.filter(isIdle).map(([, n]) => Number(n));
      return found.length >= 4 && found;
    });
    const perInterval = idle.slice(1).map((n, at) => n - (idle[at] ?? 0));
    const least = Math.min(...perInterval);
    expect(least).toBeGreaterThan(0);
    for (const items of perInterval) expect(items).toBeLessThanOrEqual(2 * least);
    for (const items of perInterval) expect(items).toBeLessThanOrEqual((perSecond * everyMs) / 1_000);
  });

  it('samples the requests of a busy interval, and counts the rest', async () => {
    const sampled = 'fanion_self_telemetry_dropped_total{signal="traces",reason="sampled"}';
    const before = await ownMetric(sampled);
    await until(async () => {
      await Promise.all(Array.from({ length: mostSpans + 1 }, () => operator.get('/api/v1/meta')));
      return (await ownMetric(sampled)) > before;
    });
    await untilRow(
      'spans | where fanion.route == "platform.meta" | stats counted=count(), stored=count_distinct(span_id) | where counted > stored | fields counted',
    );
  });
});
