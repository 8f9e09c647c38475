import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeInvestigations } from './investigations.ts';
import { describeRoutes } from './routes.ts';
import { type ShopWorld, startShopWorld } from './shop-world.ts';

/**
 * Runs every query of the tutorial on the shop's data and checks the claims of the page. Then tests the other routes.
 */

const SECOND = 1e9;
type Row = Readonly<Record<string, unknown>>;

interface Question {
  readonly number: number;
  readonly title: string;
  readonly query: string;
}

const page = readFileSync(new URL('../../docs/tutorial.md', import.meta.url), 'utf8');
const questions = page
  .split(/^### /m)
  .slice(1)
  .map((section): Question => {
    const [, number = '', title = ''] = /^(\d+)\. (.*)/.exec(section) ?? [];
    const [, query = ''] = /```oql\n([\s\S]*?)\n```/.exec(section) ?? [];
    return { number: Number(number), title, query };
  });

const first = (rows: readonly Row[]): Row => rows[0] ?? {};
const named = (rows: readonly Row[], column: string, value: string): Row =>
  rows.find((row) => row[column] === value) ?? {};
const numbers = (rows: readonly Row[], column: string) => rows.map((row) => Number(row[column]));

/** The page's claims about the result of each question. */
const claims: Readonly<Record<number, (rows: readonly Row[]) => void>> = {
  1(rows) {
    expect(first(rows)['service.name']).toBe('payment');
    const [loudest = 0, ...others] = numbers(rows, 'n');
    expect(loudest).toBeGreaterThan(Math.max(...others));
    expect(rows.slice(1, 3).map((row) => row['service.name'])).toEqual(['frontend', 'checkout']);
  },
  2(rows) {
    expect(rows).toHaveLength(5);
    expect(first(rows).pattern).toMatch(/api\.paywise\.example.* timed out after/);
    expect(first(rows).share).toBeGreaterThan(0.2);
    expect(first(rows).example).toContain('3000 ms');
  },
  3(rows) {
    // Of the first users in the outage, few or many have Paywise: 3 to 14 errors.
    const before = numbers(rows, 'n').slice(0, 4);
    const noisy = rows.filter((row) => Number(row.n) > Math.max(...before));
    expect(String(first(noisy).time)).toMatch(/T14:05:00Z$/);
    expect(rows).toHaveLength(8);
    expect(before).toContain(0);
    expect(Math.max(...before)).toBeLessThan(3);
  },
  4(rows) {
    expect(rows.map((row) => row['payment.provider']).sort()).toEqual(['cardlane', 'paywise']);
    for (const row of rows) {
      expect(row.orders).toBeGreaterThan(10);
      expect(row.revenue).toBeGreaterThan(Number(row.orders) * 10);
    }
  },
  5(rows) {
    expect(first(rows)).toMatchObject({ method: 'POST', status: 504 });
    expect(first(rows).p95).toBeGreaterThan(3000);
  },
  6(rows) {
    expect(
      rows
        .map((row) => row['service.name'])
        .slice(0, 2)
        .sort(),
    ).toEqual(['checkout', 'payment']);
    expect(rows).toHaveLength(5);
    for (const row of rows.slice(2)) expect(row.errors).toBeLessThan(0.05);
    for (const row of rows) expect(row.rate).toBeGreaterThan(0);
  },
  7(rows) {
    expect(
      rows
        .slice(0, 3)
        .map((row) => row['http.route'])
        .sort(),
    ).toEqual(['/checkout', '/orders', '/payments']);
    expect(rows[3]).toMatchObject({ 'service.name': '(other)', 'http.route': '(other)' });
    expect(Number(rows[3]?.failed)).toBeLessThan(Number(rows[0]?.failed));
  },
  8(rows) {
    expect(first(rows)).toMatchObject({ 'service.name': 'payment', 'server.address': 'api.paywise.example' });
    expect(Number(first(rows).p95)).toBeGreaterThan(2.9 * SECOND);
    expect(Number(named(rows, 'server.address', 'api.cardlane.example').p95)).toBeLessThan(SECOND);
  },
  9(rows) {
    const [before, during] = [/T13:50:00Z$/, /T14:10:00Z$/].map((time) =>
      rows.find((row) => time.test(String(row.time))),
    );
    expect(Number(before?.p50)).toBeLessThan(0.5 * SECOND);
    expect(Number(during?.p50)).toBeGreaterThan(SECOND);
    expect(Number(during?.p99)).toBeGreaterThan(Number(before?.p99));
  },
  10(rows) {
    const top = rows.slice(0, 2);
    expect(top.map((row) => row.field)).toEqual(['shop.payment.provider', 'shop.payment.provider']);
    expect(Number(named(top, 'value', 'paywise').selected_share)).toBeGreaterThan(0.9);
    expect(Number(named(top, 'value', 'cardlane').selected_share)).toBeLessThan(0.1);
  },
  11(rows) {
    expect(Number(named(rows, 'server.address', 'api.paywise.example').p95_change)).toBeGreaterThan(2);
    expect(Math.abs(Number(named(rows, 'server.address', 'api.cardlane.example').p95_change))).toBeLessThan(1);
  },
  12(rows) {
    expect(rows).toHaveLength(3);
    for (const row of rows) {
      expect(Math.round(Number(row.duration) / SECOND)).toBe(6);
      expect(row.services).toEqual(['cart', 'catalog', 'checkout', 'frontend', 'payment']);
      // At least one request succeeded on retry; which ones are slowest depends on the provider.
      expect(row.errors).toBeGreaterThan(0);
      expect(row.trace_id).toMatch(/^[0-9a-f]{32}$/);
    }
  },
  13(rows) {
    expect(rows).toHaveLength(1);
    expect(first(rows)['service.name']).toBe('frontend');
    expect(first(rows).slow).toBeGreaterThan(5);
    expect(Number(first(rows).n)).toBeGreaterThan(Number(first(rows).slow));
  },
  14(rows) {
    expect(first(rows)['b.server.address']).toBe('api.paywise.example');
    expect(Number(first(rows).failed) / Number(first(rows).n)).toBeGreaterThan(0.2);
    expect(rows.slice(1).reduce((sum, row) => sum + Number(row.n), 0)).toBeLessThan(Number(first(rows).n) / 5);
  },
  15(rows) {
    expect(first(rows).n).toBeGreaterThan(50);
    expect(Number(first(rows).p50)).toBeGreaterThan(0);
    expect(Number(first(rows).p99)).toBeLessThan(2 * SECOND);
  },
  16(rows) {
    expect(rows.map((row) => row['l.service.name'])).toEqual(['frontend', 'checkout']);
    expect(Number(rows[1]?.n)).toBeGreaterThan(5);
    expect(Number(rows[0]?.n)).toBeGreaterThan(Number(rows[1]?.n));
  },
  17(rows) {
    expect(first(rows)).toMatchObject({ 'service.name': 'payment', 'exception.type': 'TimeoutError' });
    expect(rows.length).toBeGreaterThan(1);
  },
  18(rows) {
    expect(first(rows)).toMatchObject({ 'db.collection.name': 'products', 'db.operation.name': 'SELECT' });
    expect(first(rows).p95).toBeLessThan(0.1);
    expect(first(rows).n).toBeGreaterThan(100);
  },
  19(rows) {
    expect(first(rows).leaf).toBe('parseRow');
    expect(rows).toHaveLength(3);
  },
  20(rows) {
    expect(rows.map((row) => row.variant)).toEqual(['paywise', 'cardlane']);
    const [paywise, cardlane] = rows;
    expect(Number(paywise?.errors)).toBeGreaterThan(Number(cardlane?.errors) + 0.02);
    expect(Number(paywise?.p95)).toBeGreaterThan(3 * Number(cardlane?.p95));
  },
  21(rows) {
    const places = new Map<unknown, number[]>();
    for (const row of rows)
      places.set(row['service.name'], [...(places.get(row['service.name']) ?? []), Number(row.place)]);
    expect(places.size).toBe(5);
    for (const of of places.values()) expect([[1], [1, 2]]).toContainEqual(of);
    for (const service of ['checkout', 'payment'])
      expect(Number(named(rows, 'service.name', service).p95)).toBeGreaterThan(SECOND);
  },
  22(rows) {
    expect(rows).toHaveLength(1);
    expect(String(first(rows).time)).toMatch(/T14:[012]0:00Z$/);
    expect(Number(first(rows).n)).toBe(Number(first(rows).before) + Number(first(rows).change));
    expect(Number(first(rows).change)).toBeGreaterThan(5);
  },
  23(rows) {
    expect(rows.some(({ time }) => /T14:1\d:00Z$/.test(String(time)))).toBe(true);
    expect(rows.some(({ time }) => /T1[0-3]:[0-5]\d:00Z$/.test(String(time)))).toBe(false);
  },
  24(rows) {
    expect(rows.length).toBe(10);
    expect(new Set(rows.map(({ match }) => match))).toEqual(new Set([true, false]));
  },
  25(rows) {
    expect(rows.map((row) => row['service.name'])).toContain('payment');
    expect(
      rows
        .slice(0, 3)
        .map((row) => row['service.name'])
        .sort(),
    ).toEqual(['checkout', 'frontend', 'payment']);
  },
  26(rows) {
    const of = (address: string) => rows.filter((row) => row['server.address'] === address);
    expect(of('api.paywise.example').some((row) => Number(row.bucket) >= 2.5 * SECOND)).toBe(true);
    expect(of('api.cardlane.example').every((row) => Number(row.bucket) < 2.5 * SECOND)).toBe(true);
  },
  27(rows) {
    expect([1, 2]).toContain(rows.length);
    expect(Math.max(...numbers(rows, 'n'))).toBeGreaterThan(10);
  },
  28(rows) {
    for (const row of rows) expect(['deploy', 'flag', 'alert']).toContain(row.kind);
  },
  29(rows) {
    expect(rows).toHaveLength(5);
    for (const { labels } of rows) {
      expect(JSON.stringify(labels)).toContain('service.name');
      expect(JSON.stringify(labels)).not.toContain('db.operation.name');
    }
  },
};

/** Questions about the outage, according to the page. */
const inOutage = new Set([10, 11]);

let shop: ShopWorld;
beforeAll(async () => {
  shop = await startShopWorld();
}, 240_000);
afterAll(() => shop?.stop());

describe('the tutorial', () => {
  it('has twenty-nine questions, each with an answer described', () => {
    expect(questions.map(({ number }) => number)).toEqual(Array.from({ length: 29 }, (_, i) => i + 1));
    expect(Object.keys(claims).map(Number)).toEqual(questions.map(({ number }) => number));
  });

  it.each(questions)('$number $title', async ({ number, query }) => {
    const window = inOutage.has(number) ? shop.outage : shop.all;
    const answer = await shop.reader.post(`${shop.reader.workspace}/query`, { query, ...window });
    expect(answer.status, answer.text).toBe(200);
    const names: readonly { readonly name: string }[] = answer.data.columns;
    const rows = answer.data.rows.map((values: readonly unknown[]) =>
      Object.fromEntries(names.map(({ name }, i) => [name, values[i]])),
    );
    try {
      claims[number]?.(rows);
    } catch (error) {
      throw new Error(`${query}\nanswered\n${JSON.stringify(rows.slice(0, 10), null, 1)}`, { cause: error });
    }
  });
});

describe('the routes', () => describeRoutes(() => shop));

describe('an assistant', () => describeInvestigations(() => shop));
