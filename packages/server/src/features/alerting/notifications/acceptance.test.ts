import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestPglite, type TestDatabase, type TestStore } from '../../../testing/test-database.ts';
import type { Matcher } from '../matchers/index.ts';
import type { Notification } from '../notification.ts';
import { type AlertingWorld, alertingWorld } from './testing/alerting-world.ts';
import { type Recorder, startRecorder } from './testing/recorder.ts';

type Labels = Readonly<Record<string, string>>;
interface Intervals {
  readonly group_wait: string;
  readonly group_interval: string;
  readonly repeat_interval: string;
}

/** What happens, by seconds. */
interface Scenario {
  readonly name: string;
  readonly groupBy: string[];
  readonly intervals: Intervals;
  /** Channels by name, in the order of the expectations. */
  readonly channels: Readonly<Record<string, { readonly send_resolved?: boolean }>>;
  readonly inhibits?: { readonly source: Matcher[]; readonly target: Matcher[]; readonly equal: string[] };
  readonly fires: readonly (readonly [number, Labels])[];
  readonly resolves?: readonly (readonly [number, Labels])[];
  readonly silences?: readonly {
    readonly at: number;
    readonly until: number;
    readonly match: Matcher;
    readonly deletedAt?: number;
  }[];
  /** When a channel answers 500. */
  readonly failsUntil?: Readonly<Record<string, number>>;
  readonly ends: number;
  /** What each channel accepts: a time from, a time to, and the alerts with `-` before those that have resolved. */
  readonly wants: Readonly<Record<string, readonly (readonly [number, number, ...string[]])[]>>;
}

const seconds = (group_wait: number, group_interval: number, repeat_interval: number): Intervals => ({
  group_wait: `${group_wait}s`,
  group_interval: `${group_interval}s`,
  repeat_interval: `${repeat_interval}s`,
});
const alert = (alertname: string, labels: Labels = {}): Labels => ({ alertname, ...labels });
const job = (alertname: string, zone: string) => alert(alertname, { job: 'testjob', zone });
const is = (name: string, value: string): Matcher => ({ name, op: '=', value });
const jobDown = {
  source: [is('alertname', 'JobDown')],
  target: [is('alertname', 'InstanceDown')],
  equal: ['job', 'zone'],
};
const hook = { hook: {} };

/**
 * The scenarios of Alertmanager's test/with_api_v2/acceptance (send_test.go, silence_test.go, inhibit_test.go;
 * https://github.com/prometheus/alertmanager at 68fb2d5, Apache-2.0, The Prometheus Authors), in our form, on a clock that the test turns.
 * Alerts resolve because they are said to, never by a time-out. Its tests of merged alerts are about clients that send
 * alerts, which do not exist here; its repeat intervals of a millisecond are the shortest interval here, a second.
 */
const scenarios: readonly Scenario[] = [
  {
    name: 'TestRepeat',
    groupBy: ['alertname'],
    intervals: seconds(1, 2, 1),
    channels: hook,
    fires: [[1, alert('test')]],
    resolves: [[5, alert('test')]],
    ends: 12,
    wants: {
      hook: [
        [2, 2.5, 'test'],
        [4, 4.5, 'test'],
        [6, 6.5, '-test'],
      ],
    },
  },
  {
    name: 'TestRetry',
    groupBy: ['alertname'],
    intervals: seconds(1, 2, 3),
    channels: { one: {}, failing: {} },
    fires: [[1, alert('test1')]],
    failsUntil: { failing: 4.5 },
    ends: 6.6,
    // The failing channel gets the same message late, and its repeat interval begins then.
    wants: {
      one: [
        [2, 2.5, 'test1'],
        [6, 6.5, 'test1'],
      ],
      failing: [[4.5, 6.5, 'test1']],
    },
  },
  {
    name: 'TestBatching',
    groupBy: [],
    intervals: seconds(1, 1, 5),
    channels: hook,
    fires: [
      [1.1, alert('test1')],
      [1.7, alert('test5')],
      [3.3, alert('test2')],
      [3.3, alert('test3')],
      [3.3, alert('test4')],
    ],
    ends: 10.5,
    wants: {
      hook: [
        [2, 2.5, 'test1', 'test5'],
        [4, 4.5, 'test1', 'test2', 'test3', 'test4', 'test5'],
        [9.1, 10.5, 'test1', 'test2', 'test3', 'test4', 'test5'],
      ],
    },
  },
  {
    name: 'TestResolved',
    groupBy: ['alertname'],
    intervals: seconds(1, 5, 3_600),
    channels: hook,
    fires: ['v1', 'v2', 'v3'].map((lbl) => [1, alert('test', { lbl })] as const),
    resolves: ['v1', 'v2', 'v3'].map((lbl) => [11, alert('test', { lbl })] as const),
    ends: 20,
    wants: {
      hook: [
        [2, 2.5, 'test v1', 'test v2', 'test v3'],
        [12, 13, '-test v1', '-test v2', '-test v3'],
      ],
    },
  },
  {
    name: 'TestResolvedFilter',
    groupBy: ['alertname'],
    intervals: seconds(1, 5, 3_600),
    channels: { all: {}, firing: { send_resolved: false } },
    fires: [
      [1, alert('test', { lbl: 'v1' })],
      [1, alert('test', { lbl: 'v2' })],
      [3, alert('test', { lbl: 'v3' })],
    ],
    resolves: [
      [4, alert('test', { lbl: 'v1' })],
      [11, alert('test', { lbl: 'v2' })],
    ],
    ends: 16,
    wants: {
      all: [
        [2, 2.5, 'test v1', 'test v2'],
        [7, 7.5, '-test v1', 'test v2', 'test v3'],
        [12, 12.5, '-test v2', 'test v3'],
      ],
      firing: [
        [2, 2.5, 'test v1', 'test v2'],
        [7, 7.5, 'test v2', 'test v3'],
      ],
    },
  },
  {
    name: 'TestInhibiting',
    groupBy: [],
    intervals: seconds(1, 2, 1),
    channels: hook,
    inhibits: jobDown,
    fires: [
      [1, job('test1', 'aa')],
      [1, job('InstanceDown', 'aa')],
      [1, job('InstanceDown', 'ab')],
      [2.2, job('JobDown', 'aa')],
    ],
    resolves: [[5.2, job('JobDown', 'aa')]],
    ends: 6.5,
    wants: {
      hook: [
        [2, 2.5, 'InstanceDown aa', 'InstanceDown ab', 'test1 aa'],
        [4, 4.5, 'InstanceDown ab', 'JobDown aa', 'test1 aa'],
        [6, 6.5, '-JobDown aa', 'InstanceDown aa', 'InstanceDown ab', 'test1 aa'],
      ],
    },
  },
  {
    name: 'TestAlwaysInhibiting',
    groupBy: [],
    intervals: seconds(1, 1, 1),
    channels: hook,
    inhibits: jobDown,
    fires: [
      [1, job('InstanceDown', 'aa')],
      [1, job('JobDown', 'aa')],
    ],
    resolves: [
      [2.6, job('JobDown', 'aa')],
      [2.6, job('InstanceDown', 'aa')],
    ],
    ends: 5,
    wants: {
      hook: [
        [2, 2.5, 'JobDown aa'],
        [3, 3.5, '-InstanceDown aa', '-JobDown aa'],
      ],
    },
  },
  {
    name: 'TestSilencing',
    groupBy: [],
    intervals: seconds(1, 2, 1),
    channels: hook,
    fires: [
      [1, alert('test1')],
      [1, alert('test2')],
    ],
    silences: [{ at: 2.3, until: 7, match: is('alertname', 'test1') }],
    ends: 8.5,
    wants: {
      hook: [
        [2, 2.5, 'test1', 'test2'],
        [4, 4.5, 'test2'],
        [6, 6.5, 'test2'],
        [8, 8.5, 'test1', 'test2'],
      ],
    },
  },
  {
    name: 'TestSilenceDelete',
    groupBy: [],
    intervals: seconds(1, 1, 1),
    channels: hook,
    fires: [
      [1, alert('test1')],
      [1, alert('test2')],
    ],
    silences: [{ at: 1.3, until: 100, match: { name: 'alertname', op: '=~', value: '.+' }, deletedAt: 3.5 }],
    ends: 4.5,
    wants: { hook: [[3.5, 4.5, 'test1', 'test2']] },
  },
  {
    name: 'TestColdStart',
    groupBy: [],
    intervals: seconds(4, 6, 600),
    channels: hook,
    fires: [
      [1, alert('test1')],
      [2, alert('test2')],
      [6, alert('test3')],
      [7, alert('test4')],
    ],
    ends: 15,
    wants: {
      hook: [
        [5, 5.5, 'test1', 'test2'],
        [11, 11.5, 'test1', 'test2', 'test3', 'test4'],
      ],
    },
  },
  {
    name: 'TestWebhookTimeout',
    groupBy: ['alertname'],
    intervals: seconds(1, 60, 60),
    channels: hook,
    fires: [[1, alert('test1')]],
    failsUntil: { hook: 3 },
    ends: 10,
    wants: { hook: [[3, 4, 'test1']] },
  },
];

/** The labels by which all alerts of TestAggrGroup are grouped, and the one in which they differ. */
const ofGroup = (c: string) => alert('x', { a: 'v1', b: 'v2', c });

/**
 * The groups of Alertmanager's dispatch/dispatch_test.go (https://github.com/prometheus/alertmanager at 023885c, Apache-2.0, The Prometheus
 * Authors), in our form. Its tests of group labels and of whole routes are beside the routing tree; the others are about limits of
 * groups, and about markers and goroutines, which do not exist here. Alertmanager's groups hand over all their alerts at each interval; what
 * was sent before is left out here already.
 */
const dispatched: readonly Scenario[] = [
  {
    name: 'TestAggrGroup: waits for group_wait, and then for group_interval',
    groupBy: ['a', 'b'],
    intervals: seconds(2, 1, 3_600),
    channels: hook,
    fires: [
      [1, ofGroup('v3')],
      [3.5, ofGroup('v5')],
    ],
    ends: 8,
    wants: {
      hook: [
        [3, 3.5, 'x v1 v2 v3'],
        [4, 4.5, 'x v1 v2 v3', 'x v1 v2 v5'],
      ],
    },
  },
  {
    name: 'TestAggrGroup: sends a resolved alert once, and empties itself',
    groupBy: ['a', 'b'],
    intervals: seconds(2, 1, 3_600),
    channels: hook,
    fires: [
      [1, ofGroup('v3')],
      [1, ofGroup('v4')],
      [3.5, ofGroup('v5')],
    ],
    resolves: [
      [4.5, ofGroup('v3')],
      [5.5, ofGroup('v4')],
      [5.5, ofGroup('v5')],
    ],
    ends: 9,
    wants: {
      hook: [
        [3, 3.5, 'x v1 v2 v3', 'x v1 v2 v4'],
        [4, 4.5, 'x v1 v2 v3', 'x v1 v2 v4', 'x v1 v2 v5'],
        [5, 5.5, '-x v1 v2 v3', 'x v1 v2 v4', 'x v1 v2 v5'],
        [6, 6.5, '-x v1 v2 v4', '-x v1 v2 v5'],
      ],
    },
  },
  {
    name: 'TestDispatcherRaceOnFirstAlertNotDeliveredWhenGroupWaitIsZero',
    groupBy: ['alertname'],
    intervals: seconds(0, 3_600, 3_600),
    channels: hook,
    fires: Array.from({ length: 20 }, (_, n) => [1, alert(`Alert_${n}`)] as const),
    ends: 2,
    wants: { hook: Array.from({ length: 20 }, (_, n) => [1, 1, `Alert_${n}`] as const) },
  },
];

describe('notifications arrive as in the acceptance tests of Alertmanager', () => {
  let store: TestStore;
  let database: TestDatabase;
  let world: AlertingWorld;
  let recorder: Recorder;
  beforeAll(async () => {
    store = await startTestPglite();
  });
  afterAll(() => store?.close());
  beforeEach(async () => {
    database = await store.fresh();
    world = await alertingWorld(database.db);
    recorder = await startRecorder(world.clock);
  });
  afterEach(async () => {
    await world.stop();
    await recorder.stop();
    await database.close();
  });

  it.each([...scenarios, ...dispatched].map((scenario) => [scenario.name, scenario] as const))(
    '%s',
    async (_name, scenario) => {
      const began = world.clock.ms;
      const channels: string[] = [];
      for (const [name, changes] of Object.entries(scenario.channels))
        channels.push(await world.addChannel(name, `${recorder.base}/${name}`, changes));
      await world.route({ channels, group_by: scenario.groupBy, ...scenario.intervals });
      if (scenario.inhibits !== undefined) await world.inhibit({ name: 'one', ...scenario.inhibits });
      recorder.answers((path) => {
        const until = scenario.failsUntil?.[path.slice(1)] ?? 0;
        return { status: world.clock.ms < began + until * 1_000 ? 500 : 200 };
      });

      const events: { at: number; run: () => Promise<unknown> }[] = [
        ...scenario.fires.map(([at, labels]) => ({ at, run: () => world.fire(labels) })),
        ...(scenario.resolves ?? []).map(([at, labels]) => ({ at, run: () => world.resolve(labels) })),
        ...(scenario.silences ?? []).flatMap(({ at, until, match, deletedAt }) => {
          let id = '';
          const create = async () => {
            id = (await world.silence([match], 0, (until - at) * 1_000)).id;
          };
          const expire = () => world.expire(id);
          return [{ at, run: create }, ...(deletedAt === undefined ? [] : [{ at: deletedAt, run: expire }])];
        }),
      ];
      // Each half second, and whole seconds after each event: groups are due then.
      const tenths = (seconds: number) => Math.round(seconds * 10);
      const starts = new Set([0, 5, ...events.map(({ at }) => tenths(at) % 10)]);
      for (let tenth = 0; tenth <= tenths(scenario.ends); tenth++) {
        if (!starts.has(tenth % 10)) continue;
        world.clock.ms = began + tenth * 100;
        for (const { at, run } of events) if (tenths(at) === tenth) await run();
        await world.own.engine.runDue();
      }

      const accepted = recorder.received.filter(({ status }) => status === 200);
      for (const [name, wanted] of Object.entries(scenario.wants)) {
        const got = accepted
          .filter(({ path }) => path === `/${name}`)
          .map(({ at, body }) => ({ at: (at - began) / 1_000, alerts: namesOf(JSON.parse(body)) }));
        // Messages of one moment are about different groups, in no order.
        const sorted = <T extends readonly (readonly string[])[]>(all: T) =>
          wanted.every(([from]) => from === wanted[0]?.[0]) ? [...all].map(String).sort() : all;
        expect(sorted(got.map(({ alerts }) => alerts))).toEqual(sorted(wanted.map(([, , ...alerts]) => alerts)));
        for (const [i, [from, to]] of wanted.entries()) {
          expect(got[i]?.at).toBeGreaterThanOrEqual(from);
          expect(got[i]?.at).toBeLessThanOrEqual(to);
        }
      }
    },
  );
});

/** `-` stands before alerts that have resolved. */
function namesOf({ alerts }: Notification): string[] {
  return alerts
    .map(({ status, labels }) => {
      const { alertname, job: _job, ...others } = labels;
      return `${status === 'resolved' ? '-' : ''}${[alertname, ...Object.values(others)].join(' ')}`;
    })
    .sort();
}
