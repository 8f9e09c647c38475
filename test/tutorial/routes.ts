import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runDemo } from '../../packages/demo/src/index.ts';
import { until } from '../../packages/server/src/testing/test-client.ts';
import type { ShopWorld } from './shop-world.ts';

/** Tests of every telemetry route with the shop's data; `world` is called when they run. */
export function describeRoutes(world: () => ShopWorld): void {
  let shop: ShopWorld;
  let at: string;
  beforeAll(() => {
    shop = world();
    at = shop.reader.workspace;
  });

  /** The response of a GET over the whole history. */
  async function look(path: string, query: Readonly<Record<string, string>> = {}) {
    const answer = await shop.reader.get(`${at}/${path}?${new URLSearchParams({ ...shop.all, ...query })}`);
    expect(answer.status, answer.text).toBe(200);
    return answer.data;
  }

  async function ask(query: string): Promise<readonly (readonly unknown[])[]> {
    const answer = await shop.reader.post(`${at}/query`, { query, ...shop.all });
    expect(answer.status, answer.text).toBe(200);
    return answer.data.rows;
  }

  describe('questions', () => {
    const query = 'spans | where kind == server | stats n=count() by service.name';

    it('are answered as JSON, CSV, NDJSON and Arrow', async () => {
      const rows = await ask(query);
      expect(rows.map(([service]) => service)).toEqual(['cart', 'catalog', 'checkout', 'frontend', 'payment']);
      const as = async (accept: string) => {
        const answer = await fetch(`${shop.base}${at}/query`, {
          method: 'POST',
          headers: { cookie: shop.reader.cookie, origin: shop.base, 'content-type': 'application/json', accept },
          body: JSON.stringify({ query, ...shop.all }),
        });
        expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringContaining(accept)]);
        return answer.text();
      };
      expect((await as('text/csv')).trim().split(/\r?\n/)).toEqual([
        'service.name,n',
        ...rows.map(([service, n]) => `${service},${n}`),
      ]);
      const lines = (await as('application/x-ndjson')).trim().split('\n');
      expect(lines.map((line) => JSON.parse(line))).toEqual(
        rows.map(([service, n]) => ({ 'service.name': service, n })),
      );
      expect(await as('application/vnd.apache.arrow.stream')).toContain('service.name');
    });

    it('are validated and explained', async () => {
      const judged = await shop.reader.post(`${at}/oql/validate`, { query: 'spans | wher kind == server' });
      expect(judged.data).toMatchObject({ valid: false, diagnostics: [{ suggestion: { edit: { text: 'where' } } }] });
      expect((await shop.reader.post(`${at}/oql/validate`, { query })).data).toEqual({ valid: true, diagnostics: [] });
      const explained = await shop.reader.post(`${at}/oql/explain`, { query, ...shop.all });
      expect(explained.data).toMatchObject({
        normalized: query,
        stages: [{ op: 'spans' }, { op: 'where' }, { op: 'stats' }],
      });
      expect(explained.data.estimate.rows).toBeGreaterThan(0);
    });

    it('are saved and listed', async () => {
      const saved = await shop.reader.post(`${at}/saved-queries`, { name: 'By service', query, from: 'now-1h' });
      expect(saved.status, saved.text).toBe(201);
      expect((await shop.reader.get(`${at}/saved-queries?search=service`)).data).toMatchObject([
        { name: 'By service', query },
      ]);
      expect((await shop.reader.del(`${at}/saved-queries/${saved.data.id}`)).status).toBeLessThan(300);
      expect((await shop.reader.get(`${at}/saved-queries`)).data).toEqual([]);
      await ask('logs | where body has "remember" | count');
      const history = await until(async () => {
        const { data } = await shop.reader.get(`${at}/query-history?search=remember`);
        return data.length > 0 && data;
      });
      expect(history).toMatchObject([{ status: 'ok', rows: 1, query: expect.stringContaining('remember') }]);
    });
  });

  it('a trace, with its logs and flags', async () => {
    const [[id] = []] = await ask(
      'traces | where any(name == "POST /v1/charges") | sort -duration | limit 1 | fields trace_id',
    );
    const { data: trace } = await shop.reader.get(`${at}/traces/${id}?include=logs,flags`);
    expect(trace.services.toSorted()).toEqual(['cart', 'catalog', 'checkout', 'frontend', 'payment']);
    expect(trace.critical_path.length).toBeGreaterThan(2);
    expect(trace.logs.some(({ severity }: { severity: string }) => /^error$/i.test(severity))).toBe(true);
    expect(trace.flags.map(({ flag }: { flag: string }) => flag)).toContain('payment-provider');
  });

  it('fields, and the values of one', async () => {
    const found = await look('fields', { source: 'spans', search: 'shop.payment' });
    expect(JSON.stringify(found)).toContain('shop.payment.provider');
    const values = await look('fields', { source: 'spans', field: 'shop.payment.provider' });
    const text = JSON.stringify(values);
    // Frequencies are estimated from a sample, so the order may vary.
    expect(text).toContain('"paywise"');
    expect(text).toContain('"cardlane"');
  });

  it('patterns of log lines', async () => {
    const { total, patterns, other } = await look('log-patterns', { severity: 'error' });
    expect(patterns[0].template).toContain('paywise.example');
    expect(patterns[0].services).toEqual(['payment']);
    const counted = patterns.reduce((sum: number, { count }: { count: number }) => sum + count, other.count);
    expect(counted).toBe(total);
  });

  it('what distinguishes slow payments', async () => {
    const answer = await shop.reader.post(`${at}/contrast`, {
      ...shop.all,
      // Slow payments that failed differ in their status and error too, which then rank beside the provider.
      where: 'service.name == "payment" and kind == server and status != error',
      selection: { min_duration: '1s' },
    });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.data.selection.rows).toBeGreaterThan(10);
    const [first] = answer.data.fields;
    expect(first.field).toContain('shop.payment.provider');
    expect(first.values[0].value).toMatch(/paywise|cardlane/);
  });

  it('profiles as flame graphs, compared with the previous window, and callers and callees of a function', async () => {
    const of = { profile_type: 'cpu:nanoseconds', service: 'hasher' };
    const whole = await look('flamegraph', of);
    expect(whole.total).toBe(680_000_000);
    const difference = await look('flamegraph/diff', of);
    expect(difference).toMatchObject({ total: whole.total, base_total: 0 });
    const sandwich = await look('flamegraph/sandwich', { ...of, function: 'main.hashes' });
    expect(sandwich.function_total).toBeGreaterThan(sandwich.function_self);
    expect(sandwich.callers[0].name).toBe('main.hashes');
    expect(sandwich.callees.length).toBeGreaterThan(1);
  });

  it('exemplars of a metric', async () => {
    // The shop's own meters record none, which is a valid result too.
    expect(await look('exemplars', { metric: 'http.server.request.duration' })).toEqual([]);
  });

  it('ingest usage', async () => {
    // Usage is counted by hour of arrival.
    const signals = await until(async () => {
      const { data } = await shop.reader.get(`${at}/usage?from=now-2h&to=now%2B1h`);
      const counted: readonly { readonly signal: string; readonly items: number }[] = data.projects[0].signals;
      const seen = counted.filter(({ items }) => items > 0).map(({ signal }) => signal);
      return seen.length === 4 && seen;
    });
    expect([...signals].sort()).toEqual(['logs', 'metrics', 'profiles', 'traces']);
  });

  describe('with live traffic', () => {
    const stop = new AbortController();
    let running: Promise<unknown>;
    beforeAll(async () => {
      const token = await shop.reader.token(['telemetry:ingest']);
      running = runDemo({ endpoint: shop.base, token, ratePerSecond: 10, signal: stop.signal });
    });
    afterAll(async () => {
      stop.abort();
      await running;
    });

    it('shows spans as they arrive', async () => {
      const enough = new AbortController();
      const where = encodeURIComponent('kind == server and service.name == "frontend"');
      const answer = await fetch(`${shop.base}${at}/tail?source=spans&where=${where}&seconds=30`, {
        headers: { cookie: shop.reader.cookie },
        signal: enough.signal,
      });
      expect(answer.headers.get('content-type')).toContain('text/event-stream');
      let text = '';
      const decoder = new TextDecoder();
      for await (const chunk of answer.body ?? []) {
        text += decoder.decode(chunk, { stream: true });
        if (/^data: .*"frontend"/m.test(text)) break;
      }
      enough.abort();
      expect(text).toMatch(/^event: ready$/m);
      expect(text).toMatch(/^event: row$/m);
    });

    it('shows in the map which service calls which', async () => {
      const map = await until(async () => {
        const { data } = await shop.reader.get(`${at}/service-map?from=now-5m&to=now%2B1m`);
        return data.edges.some(({ target }: { target: string }) => target === 'service:payment') && data;
      });
      const ids = map.nodes.map(({ id }: { id: string }) => id);
      for (const service of ['frontend', 'catalog', 'cart', 'checkout', 'payment']) {
        expect(ids).toContain(`service:${service}`);
      }
      const kinds = map.nodes.map(({ kind }: { kind: string }) => kind);
      expect(kinds).toEqual(expect.arrayContaining(['service', 'database']));
      const call = map.edges.find(({ target }: { target: string }) => target === 'service:payment');
      expect(call).toMatchObject({ source: 'service:checkout', calls: expect.any(Number) });
    });
  });
}
