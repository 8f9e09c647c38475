import { jsonToProtobuf } from '@fanion/telemetry';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { metricsRequest, nanos, text } from '../../../../../telemetry/src/testing/otlp.ts';
import type { Gateway, Lane } from '../../../platform/gateway/index.ts';
import { createLog } from '../../../platform/log.ts';
import { RecentPoints } from '../../../platform/recent-points/index.ts';
import type { HiddenPlace } from '../../../platform/scoped-telemetry.ts';
import { until } from '../../../testing/test-client.ts';
import { testGateway } from '../../../testing/test-gateway.ts';
import { Ingest } from '../ingest/index.ts';
import { principal, temporaryDir } from '../ingest/testing/http.ts';
import { quietLog, startTestStore, type TestStore } from '../ingest/testing/store.ts';

const second = 1_000;
const minute = 60 * second;
const { signal } = new AbortController();

interface Sent {
  readonly host: string;
  readonly ms: number;
  readonly value: number;
}

/** A server's ingest and gateway, whose recent points are in memory, and the engine asked beside them. */
async function startWorld(
  telemetry: TestStore,
  { maxBytes = 8 * 1024 ** 2, hidden = () => [] }: { maxBytes?: number; hidden?: () => readonly HiddenPlace[] } = {},
) {
  const hiddenPlaces = { of: async () => hidden(), onRemoved: () => () => {} };
  const clock = { now: () => Date.now() };
  const engine = testGateway(telemetry.store, { hiddenPlaces });
  let starts = 0;
  let ingest: Ingest | undefined;
  const recent: RecentPoints = new RecentPoints({
    maxBytes,
    worker: () => {
      if (ingest === undefined) throw new Error('ingest has not started');
      return ingest.recent;
    },
    read: (...read) => engine.readRows(...read),
    storeStarts: () => starts,
    clock,
    log: createLog('silent'),
  });
  ingest = await Ingest.open({
    ...{ dataDir: await temporaryDir(), clickhouse: telemetry.clickhouse, walMaxBytes: 64 * 1024 ** 2 },
    ...{ fsync: false, log: quietLog, clock, limits: { segmentAgeMs: 20 } },
    onWorkerEnded: () => recent.workerEnded(),
  });
  const opened = ingest;
  return {
    recent,
    engine,
    ingest: opened,
    gateway: testGateway(telemetry.store, { recent, hiddenPlaces }),
    async send(
      workspace: number,
      metric: string,
      points: readonly Sent[],
      kind: 'sum' | 'histogram' = 'sum',
      sender: { readonly project?: number; readonly environment?: string } = {},
    ): Promise<void> {
      const dataPoints = points.map(({ host, ms, value }) => ({
        ...{ timeUnixNano: nanos(ms), attributes: [text('host', host)] },
        ...(kind === 'sum' ? { asDouble: value } : { count: '1', sum: value, bucketCounts: ['1'], explicitBounds: [] }),
      }));
      const data = { dataPoints, aggregationTemporality: 2 };
      const request = metricsRequest([
        { name: metric, ...(kind === 'sum' ? { sum: { ...data, isMonotonic: true } } : { histogram: data }) },
      ]);
      const body = jsonToProtobuf('metrics', Buffer.from(JSON.stringify(request)));
      await opened.append({
        signal: 'metrics',
        format: 'protobuf',
        body,
        principal: { ...principal, workspace, ...sender },
      });
    },
    restartStore() {
      starts++;
    },
    async close() {
      recent.stop();
      await opened.stop();
    },
  };
}

type World = Awaited<ReturnType<typeof startWorld>>;

let telemetry: TestStore;
const worlds: World[] = [];
beforeAll(async () => {
  telemetry = await startTestStore();
});
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});
afterAll(() => telemetry?.close());

async function start(options: Parameters<typeof startWorld>[1] = {}): Promise<World> {
  const world = await startWorld(telemetry, options);
  worlds.push(world);
  return world;
}

let workspaces = 100;
let began: number;

/** Rows of a question over the last minutes, and those to come by default. */
async function ask(
  gateway: Gateway,
  workspace: number,
  oql: string,
  fromMs = began - 30 * minute,
  lane: Lane = 'interactive',
  toMs = began + 10 * minute,
): Promise<unknown> {
  const window = { fromNs: BigInt(fromMs) * 1_000_000n, toNs: BigInt(toMs) * 1_000_000n };
  const scope = { workspace, project: undefined, environment: undefined };
  const { rows } = await gateway.ask(scope, { oql, window, limit: 10_000 }, { lane, signal });
  return rows;
}

const rate = (metric: string) => `metric ${metric} | promrate 5m | sum by host, bucket(1m)`;

/** Asks until the metric is kept. */
async function warm({ gateway, recent }: World, workspace: number, metric: string): Promise<void> {
  const { loaded } = recent.state();
  await ask(gateway, workspace, rate(metric));
  await ask(gateway, workspace, rate(metric));
  await until(async () => recent.state().loaded > loaded);
}

/** Points of some hosts, in no order of time, some of them copies. */
function manyPoints(seed: number, count: number): Sent[] {
  return Array.from({ length: count }, (_, i) => {
    const random = ((seed * 7919 + i) * 2654435761) % 2 ** 32;
    return { host: `h${random % 5}`, ms: began - (random % (40 * minute)), value: random % 1000 };
  });
}

describe('recent points in memory', () => {
  it('answer what the engine answers, whatever has come since they were read', async () => {
    const world = await start();
    const workspace = workspaces++;
    began = Date.now();
    await world.send(workspace, 'requests', manyPoints(1, 500));
    await world.ingest.flush();
    await warm(world, workspace, 'requests');
    for (let round = 2; round < 8; round++) {
      await world.send(workspace, 'requests', manyPoints(round, 300));
      await world.send(workspace, 'requests', [{ host: `new${round}`, ms: began - 1000, value: round }]);
      await world.send(workspace, 'requests', [{ host: `new${round}`, ms: began - second * round, value: 1 }]);
      await world.ingest.flush();
      // The labels of new series are read first.
      const { loaded } = world.recent.state();
      await ask(world.gateway, workspace, rate('requests'));
      await until(async () => world.recent.state().loaded > loaded);
      const { answered } = world.recent.state();
      // A bucket that is not over would be evaluated at the time of each question.
      const now = [began - 30 * minute, 'interactive', began] as const;
      expect(await ask(world.gateway, workspace, rate('requests'), ...now)).toEqual(
        await ask(world.engine, workspace, rate('requests'), ...now),
      );
      expect(world.recent.state().answered).toBe(answered + 1);
    }
    expect(world.gateway.state().recent).toMatchObject({ metrics: 1, loaded: 7, failed: 0 });
  });

  it('has each point no later than the engine', async () => {
    const world = await start();
    const workspace = workspaces++;
    began = Date.now();
    const series = 'metric load | count';
    await world.send(workspace, 'load', [{ host: 'a', ms: began, value: 0 }]);
    await world.send(workspace, 'load', [{ host: 'b', ms: began, value: 0 }]);
    await world.ingest.flush();
    await warm(world, workspace, 'load');
    let isOver = false;
    const sending = (async () => {
      for (let i = 1; i < 200; i++) {
        await world.send(workspace, 'load', [
          { host: 'a', ms: began + i, value: i },
          { host: 'b', ms: began - i, value: i },
        ]);
      }
      isOver = true;
    })();
    const before = world.recent.state().answered;
    let asked = 0;
    while (!isOver) {
      const [[stored]] = (await ask(world.engine, workspace, series)) as [[number]];
      const [[known]] = (await ask(world.gateway, workspace, series)) as [[number]];
      expect(known).toBeGreaterThanOrEqual(stored);
      asked++;
    }
    await sending;
    await world.ingest.flush();
    expect(await ask(world.gateway, workspace, series)).toEqual([[400]]);
    expect(world.recent.state().answered).toBe(before + asked + 1);
  });

  it('are loaded without a gap while points arrive', async () => {
    const world = await start();
    const workspace = workspaces++;
    began = Date.now();
    let sent = 0;
    let isOver = false;
    const sending = (async () => {
      for (; !isOver; sent++) {
        await world.send(workspace, 'gap', [{ host: 'a', ms: began - sent, value: sent }]);
        // Loading waits for what was handed in before.
        if (sent % 10 === 0) await world.ingest.flush();
      }
    })();
    for (let round = 0; round < 5; round++) {
      await warm(world, workspace, 'gap');
      world.recent.workerEnded();
    }
    await warm(world, workspace, 'gap');
    isOver = true;
    await sending;
    await world.ingest.flush();
    const { answered } = world.recent.state();
    expect(await ask(world.gateway, workspace, 'metric gap | count')).toEqual([[sent]]);
    expect(world.recent.state().answered).toBe(answered + 1);
  });

  it('are those of one workspace', async () => {
    const world = await start();
    const [ada, eve] = [workspaces++, workspaces++];
    began = Date.now();
    await world.send(ada, 'shared', [{ host: 'ada', ms: began, value: 1 }]);
    await world.send(eve, 'shared', [{ host: 'eve', ms: began, value: 2 }]);
    await world.ingest.flush();
    await warm(world, ada, 'shared');
    await warm(world, eve, 'shared');
    await world.send(ada, 'shared', [{ host: 'ada', ms: began + 1, value: 3 }]);
    await world.ingest.flush();
    const { answered } = world.recent.state();
    expect(await ask(world.gateway, ada, 'metric shared | count by host')).toEqual([['ada', 2]]);
    expect(await ask(world.gateway, eve, 'metric shared | count by host')).toEqual([['eve', 1]]);
    expect(world.recent.state().answered).toBe(answered + 2);
  });

  it('leave earlier times to the engine, until these were asked for twice', async () => {
    const world = await start();
    const workspace = workspaces++;
    began = Date.now();
    const [old, asked] = [began - 120 * minute, began - 150 * minute];
    await world.send(workspace, 'old', [
      { host: 'a', ms: old, value: 1 },
      { host: 'a', ms: began, value: 2 },
    ]);
    await world.ingest.flush();
    await warm(world, workspace, 'old');
    const { answered, loaded } = world.recent.state();
    expect(await ask(world.gateway, workspace, 'metric old | count', asked)).toEqual([[2]]);
    expect(world.recent.state()).toMatchObject({ answered, loaded });
    expect(await ask(world.gateway, workspace, 'metric old | count', asked)).toEqual([[2]]);
    await until(async () => world.recent.state().loaded > loaded);
    expect(await ask(world.gateway, workspace, 'metric old | count', asked)).toEqual([[2]]);
    expect(world.recent.state().answered).toBe(answered + 1);
  });

  it('are not asked by alert rules', async () => {
    const world = await start();
    const workspace = workspaces++;
    began = Date.now();
    await world.send(workspace, 'alerted', [{ host: 'a', ms: began, value: 1 }]);
    await world.ingest.flush();
    await warm(world, workspace, 'alerted');
    const { answered } = world.recent.state();
    expect(await ask(world.gateway, workspace, 'metric alerted | count', began - minute, 'alert')).toEqual([[1]]);
    expect(world.recent.state().answered).toBe(answered);
  });

  it('are not kept of histograms', async () => {
    const world = await start();
    const workspace = workspaces++;
    began = Date.now();
    await world.send(workspace, 'durations', [{ host: 'a', ms: began, value: 1 }], 'histogram');
    await world.ingest.flush();
    await ask(world.gateway, workspace, rate('durations'));
    await ask(world.gateway, workspace, rate('durations'));
    await until(async () => world.recent.state().failed > 0);
    expect(world.recent.state()).toMatchObject({ metrics: 0, answered: 0, loaded: 0 });
  });

  it('are not answered from once a histogram has the name of the metric', async () => {
    const world = await start();
    const workspace = workspaces++;
    began = Date.now();
    const count = 'metric both | stats n=count()';
    await ask(world.gateway, workspace, count);
    await ask(world.gateway, workspace, count);
    await until(async () => world.recent.state().loaded > 0);
    expect(await ask(world.gateway, workspace, count)).toEqual([[0]]);
    expect(world.recent.state().answered).toBe(1);
    await world.send(workspace, 'both', [{ host: 'a', ms: began, value: 1 }], 'histogram');
    await world.ingest.flush();
    expect(await ask(world.gateway, workspace, count)).toEqual([[1]]);
  });

  it('are not kept where they do not fit', async () => {
    const world = await start({ maxBytes: 64 * 1024 });
    const workspace = workspaces++;
    began = Date.now();
    const points = Array.from({ length: 5_000 }, (_, i) => ({ host: 'a', ms: began - i, value: i }));
    await world.send(workspace, 'large', points);
    await world.ingest.flush();
    await ask(world.gateway, workspace, rate('large'));
    await ask(world.gateway, workspace, rate('large'));
    await until(async () => world.recent.state().failed > 0);
    expect(await ask(world.gateway, workspace, 'metric large | count')).toEqual([[5_000]]);
    expect(world.recent.state()).toMatchObject({ metrics: 0, bytes: 0, answered: 0, loaded: 0 });
  });

  it.each<[string, (world: World, workspace: number) => unknown]>([
    ['the ingest worker ends', (world) => world.ingest.stop()],
    ['the store restarts', (world) => world.restartStore()],
    [
      'a recording rule writes the metric',
      (world, workspace) => world.recent.changing({ workspace, metric: 'gone' }, async () => {}),
    ],
  ])('are dropped when %s', async (_, happen) => {
    const world = await start();
    const workspace = workspaces++;
    began = Date.now();
    await world.send(workspace, 'gone', [{ host: 'a', ms: began, value: 1 }]);
    await world.ingest.flush();
    await warm(world, workspace, 'gone');
    const { answered } = world.recent.state();
    await happen(world, workspace);
    expect(await ask(world.gateway, workspace, 'metric gone | count')).toEqual([[1]]);
    expect(world.recent.state()).toMatchObject({ answered, metrics: 0 });
  });

  it.each(['project', 'environment'])(
    'are not kept of a workspace while rows of a removed %s are hidden',
    async (removed) => {
      let hidden: readonly HiddenPlace[] = [];
      const world = await start({ hidden: () => hidden });
      const workspace = workspaces++;
      began = Date.now();
      const [mine, other] =
        removed === 'project' ? [{ project: 71 }, { project: 72 }] : [{ environment: 'staging' }, {}];
      const send = (sender: object) =>
        world.send(workspace, 'shared', [{ host: 'a', ms: began, value: 1 }], 'sum', sender);
      await send(mine);
      await send(other);
      await world.ingest.flush();
      await warm(world, workspace, 'shared');
      expect(await ask(world.gateway, workspace, 'metric shared | count')).toEqual([[2]]);

      const project = removed === 'project' ? 71 : principal.project;
      const place = { project, environment: mine.environment, before: Math.ceil(began / 1000) + 1 };
      hidden = [removed === 'project' ? { ...place, before: undefined } : place];
      world.recent.removed(workspace);
      // Rows of the removed place that come from the log meanwhile are hidden too.
      await send(mine);
      await world.ingest.flush();
      expect(await ask(world.gateway, workspace, 'metric shared | count')).toEqual([[1]]);
      const { answered } = world.recent.state();
      for (let i = 0; i < 3; i++) expect(await ask(world.gateway, workspace, 'metric shared | count')).toEqual([[1]]);
      expect(world.recent.state()).toMatchObject({ answered, metrics: 0 });
    },
  );
});
