import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TokenCaller } from '../../../http/caller.ts';
import { type ClickHouse, createClickHouse } from '../../../platform/clickhouse/index.ts';
import type { ScopedTelemetry } from '../../../platform/scoped-telemetry.ts';
import { startTestPostgres, type TestStore } from '../../../testing/test-database.ts';
import { testGateway } from '../../../testing/test-gateway.ts';
import { findArrivals } from '../../identity/projects/telemetry-store.ts';
import { type Tenant, type TestControlPlane, testControlPlane, testOrigin } from '../../testing/control-plane.ts';
import { startTestStore, type TestStore as TestTelemetry } from '../ingest/testing/store.ts';
import * as services from './service.ts';

const page = { after: undefined, limit: 50 };

const { signal } = new AbortController();

describe('services', () => {
  let store: TestStore;
  let engine: TestTelemetry;
  let clickhouse: ClickHouse;
  let telemetry: ScopedTelemetry;
  let control: TestControlPlane;
  let ada: Tenant;

  beforeAll(async () => {
    [store, engine] = await Promise.all([startTestPostgres(), startTestStore()]);
    clickhouse = engine.store;
    telemetry = testGateway(clickhouse).lane('interactive');
  });
  afterAll(async () => {
    await Promise.all([store.close(), engine.close()]);
  });

  interface Arrival {
    tenant?: Tenant;
    project?: number;
    environment?: string;
    signal?: string;
    service: string;
    at?: string;
    items?: number;
  }
  const arrive = async (...rows: Arrival[]) => {
    for (const row of rows) {
      const { tenant = ada, environment = 'production', signal = 'traces', service, items = 1 } = row;
      const at = row.at ?? '2026-11-20 11:00:00.000';
      await clickhouse.command(
        `INSERT INTO arrivals SELECT {workspace:UInt32}, {project:UInt32}, {environment:String}, {signal:String}, {service:String},
           'opentelemetry', 'nodejs', '2.0.0', toStartOfHour(toDateTime({at:String}, 'UTC')), {items:UInt64}, 100,
           toDateTime64({at:String}, 3, 'UTC'), toDateTime64({at:String}, 3, 'UTC')`,
        {
          params: {
            workspace: tenant.workspace.number,
            project: row.project ?? tenant.project.number,
            environment,
            signal,
            service,
            at: at.slice(0, 19),
            items,
          },
        },
      );
    }
  };

  // One telemetry store for all tests; every test has workspaces with its own numbers, as in production.
  let numbers = 0;
  beforeEach(async () => {
    const database = await store.fresh();
    control = testControlPlane(database.db);
    for (let i = 0; i < numbers; i++) await control.addTenant(`gone ${i}`);
    ada = await control.addTenant('ada');
    numbers += 3;
  });

  it('combine telemetry with what people wrote', async () => {
    await arrive(
      { service: 'checkout', at: '2026-11-20 09:00:00.000' },
      { service: 'checkout', at: '2026-11-20 11:30:00.000', signal: 'logs', environment: 'development' },
      { service: 'cart' },
      { service: '' },
    );
    const change = { owner: 'ada', tags: ['paid', 'paid'], runbook_url: 'https://runbooks.example/checkout' };
    const updated = await services.update(
      { ...control.dependencies, telemetry },
      ada.workspace,
      ada.caller,
      'checkout',
      change,
      testOrigin,
      signal,
    );
    expect(updated).toEqual({
      name: 'checkout',
      display_name: null,
      owner: 'ada',
      team: null,
      runbook_url: 'https://runbooks.example/checkout',
      repository_url: null,
      tier: null,
      tags: ['paid'],
      first_seen_at: '2026-11-20T09:00:00.000Z',
      last_seen_at: '2026-11-20T11:30:00.000Z',
      signals: ['logs', 'traces'],
      projects: ['default'],
      environments: ['development', 'production'],
    });
    expect(
      await services.get({ ...control.dependencies, telemetry }, ada.workspace, ada.caller, 'checkout', signal),
    ).toEqual(updated);
    const cleared = await services.update(
      { ...control.dependencies, telemetry },
      ada.workspace,
      ada.caller,
      'checkout',
      { owner: null },
      testOrigin,
      signal,
    );
    expect(cleared).toMatchObject({ owner: null, tags: ['paid'] });
    const listed = await services.list(
      { ...control.dependencies, telemetry },
      ada.workspace,
      ada.caller,
      {},
      page,
      signal,
    );
    expect(listed.map(({ name, tags }) => [name, tags])).toEqual([
      ['cart', []],
      ['checkout', ['paid']],
    ]);
    expect(await control.audited(ada.workspace.id)).toEqual(['services.update', 'services.update']);
  });

  it('are searched, filtered and paged', async () => {
    await arrive(
      { service: 'Cart' },
      { service: 'cart-cache', environment: 'development' },
      { service: "o'hare; DROP TABLE arrivals" },
    );
    const names = async (filter: object, at: object = {}) =>
      (
        await services.list(
          { ...control.dependencies, telemetry },
          ada.workspace,
          ada.caller,
          filter,
          { ...page, ...at },
          signal,
        )
      ).map(({ name }) => name);
    expect(await names({ search: 'CART' })).toEqual(['Cart', 'cart-cache']);
    expect(await names({ search: "'; DROP" })).toEqual([]);
    expect(await names({ environment: 'development' })).toEqual(['cart-cache']);
    expect(await names({ project: 'default' })).toHaveLength(3);
    expect(await names({}, { after: 'Cart' })).toEqual(['cart-cache', "o'hare; DROP TABLE arrivals"]);
    expect(await names({}, { limit: 1 })).toHaveLength(2);
    await expect(names({ project: 'nowhere' })).rejects.toMatchObject({ error: 'NOT_FOUND' });
  });

  it('belong to their workspace and to live projects', async () => {
    const eve = await control.addTenant('eve');
    await arrive(
      { tenant: eve, service: 'secret' },
      { service: 'mine' },
      { service: 'of a deleted project', project: 4_000_000 },
    );
    expect(
      (await services.list({ ...control.dependencies, telemetry }, ada.workspace, ada.caller, {}, page, signal)).map(
        ({ name }) => name,
      ),
    ).toEqual(['mine']);
    for (const name of ['secret', 'of a deleted project', 'never seen', 'with\0nul'])
      await expect(
        services.get({ ...control.dependencies, telemetry }, ada.workspace, ada.caller, name, signal),
      ).rejects.toMatchObject({
        error: 'SERVICE_NOT_FOUND',
      });
    await expect(
      services.update(
        { ...control.dependencies, telemetry },
        ada.workspace,
        ada.caller,
        'secret',
        { owner: 'ada' },
        testOrigin,
        signal,
      ),
    ).rejects.toMatchObject({ error: 'SERVICE_NOT_FOUND' });
  });

  it('are limited to the pin of a token', async () => {
    await arrive({ service: 'here' }, { service: 'development only', environment: 'development' });
    const token: TokenCaller = {
      ...ada.caller,
      kind: 'token',
      tokenId: ada.project.id,
      tokenName: 'ci',
      workspaceId: ada.workspace.id,
      permissions: new Set(),
      projectId: ada.project.id,
      environmentId: ada.production.id,
    };
    const names = async (filter: object) =>
      (await services.list({ ...control.dependencies, telemetry }, ada.workspace, token, filter, page, signal)).map(
        ({ name }) => name,
      );
    expect(await names({})).toEqual(['here']);
    expect(await names({ environment: 'development' })).toEqual([]);
    await expect(
      services.get({ ...control.dependencies, telemetry }, ada.workspace, token, 'development only', signal),
    ).rejects.toMatchObject({
      error: 'SERVICE_NOT_FOUND',
    });
  });

  it('are unavailable while the telemetry store is down', async () => {
    const nowhere = createClickHouse({ url: 'http://127.0.0.1:1', database: 'fanion' });
    const away = { ...control.dependencies, telemetry: testGateway(nowhere).lane('interactive') };
    const failure = { error: 'STORE_UNAVAILABLE', retryAfterSeconds: 2 };
    await expect(services.list(away, ada.workspace, ada.caller, {}, page, signal)).rejects.toMatchObject(failure);
    await expect(services.get(away, ada.workspace, ada.caller, 'x', signal)).rejects.toMatchObject(failure);
    await nowhere.close();
  });

  it("use the same rows as a project's telemetry status", async () => {
    await arrive(
      { service: 'checkout', items: 5, at: '2026-11-20 09:00:00.000' },
      { service: 'cart', items: 7, at: '2026-11-20 10:00:00.000' },
      { service: 'cart', items: 1, signal: 'logs', environment: 'development' },
    );
    const place = { workspace: ada.workspace.number, project: ada.project.number };
    const sdks = [{ name: 'opentelemetry', language: 'nodejs', version: '2.0.0' }];
    const traces = {
      signal: 'traces',
      items: 12,
      lastAt: new Date('2026-11-20T10:00:00Z'),
      services: ['cart', 'checkout'],
      sdks,
    };
    const logs = { signal: 'logs', items: 1, lastAt: new Date('2026-11-20T11:00:00Z'), services: ['cart'], sdks };
    expect(await findArrivals(telemetry, { ...place, environment: undefined }, signal)).toEqual([logs, traces]);
    expect(await findArrivals(telemetry, { ...place, environment: 'development' }, signal)).toEqual([logs]);
    expect(await findArrivals(telemetry, { ...place, environment: 'nowhere' }, signal)).toEqual([]);
  });
});
