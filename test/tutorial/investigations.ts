import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../../packages/server/src/testing/test-client.ts';
import type { ShopWorld, Window } from './shop-world.ts';

const SECOND = 1e9;
const permissions = [
  'telemetry:query',
  'workspace:read',
  'alerts:read',
  'dashboards:read',
  'flags:read',
  'flags:write',
];
const place = { project: 'default', environment: 'production' };

type Row = Readonly<Record<string, unknown>>;
interface TraceSpan {
  readonly name: string;
  readonly service: string;
  readonly status: string;
}

/**
 * Twelve investigations as an assistant makes them: each step is a tool of MCP through the official client, and takes what it asks
 * for from the answer before. The shop's simulation decides what is true.
 */
export function describeInvestigations(world: () => ShopWorld): void {
  let shop: ShopWorld;
  let client: Client;

  beforeAll(async () => {
    shop = world();
    client = new Client({ name: 'assistant', version: '1' });
    const token = await shop.reader.token(permissions, {});
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', shop.base), { requestInit }));
  });
  afterAll(() => client?.close());

  async function use(name: string, given: object = {}) {
    const answer = await client.callTool({ name, arguments: { ...given } });
    const [{ text } = { text: '' }] = answer.content as { text: string }[];
    return { isError: answer.isError === true, json: JSON.parse(text) };
  }
  async function ask(name: string, given: object = {}) {
    const { isError, json } = await use(name, given);
    expect(isError, JSON.stringify(json)).toBe(false);
    return json.data;
  }
  async function rows(query: string, window: Window = shop.all): Promise<readonly Row[]> {
    const { columns, rows: values } = await ask('query', { query, ...window });
    return values.map((row: unknown[]) =>
      Object.fromEntries(columns.map(({ name }: { name: string }, i: number) => [name, row[i]])),
    );
  }

  it('finds the service where the failing calls end', async () => {
    const services: readonly { name: string }[] = await ask('list_services');
    expect(services.map(({ name }) => name)).toEqual(expect.arrayContaining(['frontend', 'checkout', 'payment']));
    // A database may also answer one call with an error at that time: the share of failing calls tells.
    const calls = await rows(
      'spans | where kind == client | stats failed=ratio(status == error) by service.name, server.address | sort -failed',
      shop.outage,
    );
    const names = new Set(services.map(({ name }) => name));
    const end = calls.find((call) => !names.has(String(call['server.address'])));
    expect(end).toMatchObject({ 'service.name': 'payment', 'server.address': 'api.paywise.example' });
    expect(Number(end?.failed)).toBeGreaterThan(0.2);
  });

  it('finds the external service that is slow, and the one that is not', async () => {
    const [slow, fast] = await rows(
      'spans | where kind == client and server.address contains ".example" and service.name == "payment" | stats p95=p95(duration) by server.address | sort -p95',
      shop.outage,
    );
    expect(slow?.['server.address']).toBe('api.paywise.example');
    expect(Number(slow?.p95)).toBeGreaterThan(2.5 * SECOND);
    expect(fast?.['server.address']).toBe('api.cardlane.example');
    expect(Number(fast?.p95)).toBeLessThan(SECOND);
  });

  it('finds when it began', async () => {
    const counts = await rows(
      'logs | where severity >= error and service.name == "payment" | stats n=count() by bucket(5m) | fill 0',
    );
    const before = Math.max(...counts.slice(0, 4).map(({ n }) => Number(n)));
    const begin = counts.find(({ n }) => Number(n) > before);
    expect(String(begin?.time)).toMatch(/T14:05:00Z$/);
  });

  it('finds what slow payments have in common', async () => {
    const found = await ask('contrast', {
      selection: { where: 'service.name == "payment" and kind == server and duration > 1s' },
      baseline: { where: 'service.name == "payment" and kind == server and duration <= 1s' },
      ...shop.outage,
    });
    expect(JSON.stringify(found)).toMatch(/paywise/);
  });

  it('follows one slow order to the call that made it slow', async () => {
    const [slowest] = await rows(
      'traces | where any(name == "POST /v1/charges") | sort -duration | limit 1 | fields duration, trace_id',
    );
    expect(Number(slowest?.duration)).toBeGreaterThan(3 * SECOND);
    const trace = await ask('get_trace', { trace_id: slowest?.trace_id });
    const spans: readonly TraceSpan[] = trace.spans;
    expect(new Set(spans.map(({ service }) => service)).size).toBe(5);
    expect(spans.filter(({ status }) => status === 'error').map(({ name }) => name)).toContain('POST /v1/charges');
    expect(JSON.stringify(trace.critical_path)).not.toBe('[]');
  });

  it('counts how many users of each provider were hurt', async () => {
    const payments = 'spans | where service.name == "payment" and kind == server';
    const by = await rows(
      `${payments} | stats n=count(), failed=ratio(status == error) by shop.payment.provider`,
      shop.outage,
    );
    const each = await rows(`${payments} | fields shop.payment.provider, status | limit 1000`, shop.outage);
    const ofProvider = (all: readonly Row[], provider: string) =>
      all.filter((row) => row['shop.payment.provider'] === provider);
    const failed = (provider: string) => Number(ofProvider(by, provider)[0]?.failed ?? 0);
    for (const provider of ['paywise', 'cardlane']) {
      const own = ofProvider(each, provider);
      expect(ofProvider(by, provider)).toMatchObject([{ n: own.length }]);
      expect(failed(provider)).toBeCloseTo(own.filter(({ status }) => status === 'error').length / own.length, 12);
    }
    // The demo's `simulate.test.ts` has the share of many payments: of these 90 or so it may be 0.1 by chance.
    expect(failed('cardlane')).toBeLessThan(failed('paywise') / 3);
  });

  it('finds the flag that chooses the provider, and for whom', async () => {
    const flags: readonly { key: string; description: string }[] = await ask('list_flags', { project: 'default' });
    const flag = flags.find(({ description }) => /Paywise/.test(description))?.key ?? '';
    expect(flag).toBe('payment-provider');
    const evaluate = (country: string) =>
      ask('explain_evaluation', { ...place, flag, context: { targetingKey: 'u1', country } });
    expect(await evaluate('GB')).toMatchObject({ variant: 'cardlane' });
    expect(await evaluate('FR')).toMatchObject({ variant: 'paywise' });
  });

  it('proposes to leave the slow provider, which changes nothing before a person agrees', async () => {
    const given = { ...place, flag: 'payment-provider' };
    const before = await ask('get_flag', given);
    const proposal = await ask('propose_flag_change', {
      ...given,
      patch: { fallthrough: { variant: 'cardlane' } },
      comment: 'Paywise times out since 14:05',
    });
    expect(proposal).toMatchObject({ status: 'pending' });
    expect(await ask('get_flag', given)).toEqual(before);
  });

  it('repairs a query with the diagnostics of its answer', async () => {
    const wrong = 'spans | wher service.name == "payment" | stats n=count()';
    const { isError, json } = await use('query', { query: wrong, ...shop.all });
    expect(isError).toBe(true);
    const [{ suggestion }] = json.error.details;
    const { start, end, text } = suggestion.edit;
    const [counted] = await rows(wrong.slice(0, start) + text + wrong.slice(end));
    expect(Number(counted?.n)).toBeGreaterThan(100);
  });

  it('finds a field by its values before it asks about it', async () => {
    const { fields }: { fields: readonly { name: string }[] } = await ask('list_fields', {
      ...shop.all,
      search: 'shop.payment',
    });
    const field = fields.map(({ name }) => name).find((name) => name.endsWith('shop.payment.provider')) ?? '';
    const values = await ask('list_fields', { ...shop.all, field });
    expect(JSON.stringify(values)).toMatch(/cardlane.*paywise|paywise.*cardlane/s);
  });

  it('says which SLO burns, and how much of its errors the provider made', async () => {
    const indicator = {
      kind: 'events',
      source: 'spans | where service.name == "checkout" and name == "POST /orders"',
      good: 'status != error',
    };
    const slo = {
      name: 'Orders',
      project: 'default',
      indicator,
      objective: 0.998,
      window: { kind: 'rolling', period: '7d' },
    };
    expect((await shop.reader.post(`${shop.reader.workspace}/slos`, slo)).status).toBe(201);
    await until(async () => {
      const [first]: { status: { budget: { left: number | null } } | null }[] = await ask('slo_status');
      return Number(first?.status?.budget.left) < 0;
    });
    const [lost] = await rows(
      'spans | match a{service.name == "checkout" and name == "POST /orders" and status == error} >> b{server.address == "api.paywise.example" and status == error} | stats n=count_distinct(trace_id)',
    );
    const [all] = await rows(
      'spans | where service.name == "checkout" and name == "POST /orders" and status == error | stats n=count()',
    );
    expect(Number(lost?.n) / Number(all?.n)).toBeGreaterThan(0.5);
  });

  it('reads what the logs of the failing service say', async () => {
    const [first] = await rows('logs | where service.name == "payment" and severity >= error | patterns | limit 1');
    expect(String(first?.pattern)).toMatch(/api\.paywise\.example.* timed out after/);
    const explained = await ask('explain_query', { query: 'logs | where severity >= error | patterns', ...shop.all });
    expect(explained).toMatchObject({ normalized: expect.stringContaining('patterns') });
  });
}
