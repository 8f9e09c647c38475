import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestStore, type TestStore } from '../../../features/telemetry/ingest/testing/store.ts';
import { testGateway } from '../../../testing/test-gateway.ts';
import type { ClickHouse } from '../../clickhouse/index.ts';

const noonNs = BigInt(Date.UTC(2026, 10, 20, 12)) * 1_000_000n;
const window = { fromNs: noonNs, toNs: noonNs + 60_000_000_000n };
const scope = { workspace: 1, project: undefined, environment: undefined };

describe('a count by an attribute', () => {
  let store: TestStore;
  beforeAll(async () => {
    store = await startTestStore();
  });
  afterAll(() => store?.close());

  const insert = (attribute: string) =>
    store.store.command(
      `INSERT INTO logs (workspace, project, environment, retention_days, time, body, ${attribute.split('=')[0]}) VALUES (1, 1, 'production', 3650, toDateTime64('2026-11-20 12:00:01', 9, 'UTC'), 'x', ${attribute.split('=')[1]})`,
    );

  it('reads only texts while there are no others, and still counts every value when others have come', async () => {
    const statements: string[] = [];
    const counting: Pick<ClickHouse, 'query' | 'queryRows' | 'open' | 'stream' | 'command'> = {
      ...store.store,
      open(sql, options) {
        statements.push(sql);
        return store.store.open(sql, options);
      },
    };
    const gateway = testGateway(counting);
    const counts = async () => {
      statements.length = 0;
      const question = { oql: 'logs | stats n=count() by customer | sort customer', window, limit: 10 };
      const { rows } = await gateway.ask(scope, question, {
        lane: 'interactive',
        signal: new AbortController().signal,
      });
      return { rows, readsNumbers: statements.map((sql) => sql.includes('int_attributes')) };
    };

    await insert(`string_attributes=map('customer', 'a')`);
    await insert(`string_attributes=map('customer', 'b')`);
    expect(await counts()).toEqual({
      rows: [
        ['a', 1],
        ['b', 1],
      ],
      readsNumbers: [false],
    });

    await insert(`int_attributes=map('customer', 7)`);
    const all = [
      ['a', 1],
      ['b', 1],
      [7, 1],
    ];
    const found = await counts();
    expect(new Set(found.rows)).toEqual(new Set(all));
    expect(found.readsNumbers).toEqual([false, true]);
    // It is known now that they are not all texts.
    expect((await counts()).readsNumbers).toEqual([true]);

    await insert(`resource=map('customer', 'of the resource')`);
    await insert(`string_attributes=map('customer', '')`);
    await insert(`string_attributes=map('other', 'x')`);
    const every = new Set([...all, ['of the resource', 1], ['', 1], [null, 1]]);
    expect(new Set((await counts()).rows)).toEqual(every);
    const other = testGateway(store.store);
    const question = { oql: 'logs | stats n=count() by customer', window, limit: 10 };
    const { rows } = await other.ask(scope, question, { lane: 'interactive', signal: new AbortController().signal });
    expect(new Set(rows)).toEqual(every);
  });
});
