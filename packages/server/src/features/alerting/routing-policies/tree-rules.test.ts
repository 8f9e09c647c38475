import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Matcher } from '../matchers/index.ts';
import {
  closesCircle,
  defaultSettings,
  depthBelow,
  everyLabel,
  firstFlushAt,
  groupLabelsOf,
  keyOf,
  matchRoutes,
  type Policy,
  type Tree,
  treeOf,
} from './tree-rules.ts';

const minute = 60_000;
const is = (name: string, value: string): Matcher => ({ name, op: '=', value });
const like = (name: string, value: string): Matcher => ({ name, op: '=~', value });

function policy(id: string, parent: string | null, changes: Partial<Policy> = {}): Policy {
  return {
    id,
    parent,
    name: id,
    position: 0,
    matchers: [],
    continues: false,
    channels: null,
    groupBy: null,
    groupWaitMs: null,
    groupIntervalMs: null,
    repeatIntervalMs: null,
    mute: [],
    active: [],
    ...changes,
  };
}

function built(policies: readonly Policy[]): Tree {
  const tree = treeOf(policies);
  if (tree === undefined) throw new Error('the tree has no root');
  return tree;
}

/**
 * The tree and the answers of TestRouteMatch and TestRouteMatchers in Alertmanager's dispatch/route_test.go
 * (https://github.com/prometheus/alertmanager at 68fb2d5, Apache-2.0, The Prometheus Authors), in our form.
 */
const policies = [
  policy('root', null, { channels: ['notify-def'], groupBy: [] }),
  policy('A', 'root', { position: 0, matchers: [is('owner', 'team-A')], channels: ['notify-A'] }),
  policy('A/testing', 'A', {
    position: 0,
    matchers: [is('env', 'testing')],
    channels: ['notify-testing'],
    groupBy: [everyLabel],
  }),
  policy('A/production', 'A', {
    position: 1,
    matchers: [is('env', 'production')],
    channels: ['notify-productionA'],
    groupWaitMs: minute,
    continues: true,
  }),
  policy('A/produ', 'A', {
    position: 2,
    matchers: [like('env', 'produ.*'), like('job', '.*')],
    channels: ['notify-productionB'],
    groupWaitMs: minute / 2,
    groupIntervalMs: 5 * minute,
    repeatIntervalMs: 60 * minute,
    groupBy: ['job'],
  }),
  policy('BC', 'root', {
    position: 1,
    matchers: [like('owner', 'team-(B|C)')],
    groupBy: ['foo', 'bar'],
    groupWaitMs: 2 * minute,
    channels: ['notify-BC'],
  }),
  policy('role', 'root', { position: 2, matchers: [is('group_by', 'role')], groupBy: ['role'] }),
  policy('role/testing', 'role', { matchers: [is('env', 'testing')], channels: ['notify-testing'] }),
  policy('role/testing/wait', 'role/testing', { matchers: [is('wait', 'long')], groupWaitMs: 2 * minute }),
];

describe('the routing tree', () => {
  const { groupWaitMs, groupIntervalMs, repeatIntervalMs } = defaultSettings;
  const common = { groupWaitMs, groupIntervalMs, repeatIntervalMs };
  it.each([
    [{ owner: 'team-A' }, ['A'], [{ channels: ['notify-A'], groupBy: [], ...common }]],
    [{ owner: 'team-A', env: 'unset' }, ['A'], [{ channels: ['notify-A'], groupBy: [], ...common }]],
    [
      { owner: 'team-C' },
      ['BC'],
      [{ channels: ['notify-BC'], groupBy: ['foo', 'bar'], ...common, groupWaitMs: 2 * minute }],
    ],
    [
      { owner: 'team-A', env: 'testing' },
      ['A/testing'],
      [{ channels: ['notify-testing'], groupBy: ['...'], ...common }],
    ],
    [
      { owner: 'team-A', env: 'production' },
      ['A/production', 'A/produ'],
      [
        { channels: ['notify-productionA'], groupBy: [], ...common, groupWaitMs: minute },
        {
          channels: ['notify-productionB'],
          groupBy: ['job'],
          groupWaitMs: minute / 2,
          groupIntervalMs: 5 * minute,
          repeatIntervalMs: 60 * minute,
        },
      ],
    ],
    [{ group_by: 'role' }, ['role'], [{ channels: ['notify-def'], groupBy: ['role'], ...common }]],
    [
      { env: 'testing', group_by: 'role' },
      ['role/testing'],
      [{ channels: ['notify-testing'], groupBy: ['role'], ...common }],
    ],
    [
      { env: 'testing', group_by: 'role', wait: 'long' },
      ['role/testing/wait'],
      [{ channels: ['notify-testing'], groupBy: ['role'], ...common, groupWaitMs: 2 * minute }],
    ],
    [{ owner: 'nobody' }, ['root'], [{ channels: ['notify-def'], groupBy: [], ...common }]],
  ])('sends %o to %o, as Alertmanager does', (labels, ids, settings) => {
    const found = matchRoutes(built(policies).root, labels);
    expect(found.map(({ id }) => id)).toEqual(ids);
    expect(found.map((route) => route.settings)).toMatchObject(settings);
  });

  it('inherits grouping by every label until a child groups otherwise', () => {
    const tree = built([
      policy('root', null),
      policy('parent', 'root', { groupBy: [everyLabel] }),
      policy('child1', 'parent'),
      policy('child2', 'parent', { groupBy: ['foo'] }),
    ]);
    expect(['parent', 'child1', 'child2'].map((id) => tree.byId.get(id)?.settings.groupBy)).toEqual([
      ['...'],
      ['...'],
      ['foo'],
    ]);
  });

  it('tells no channels from those of the parent, and inherits no time intervals', () => {
    const tree = built([
      policy('root', null, { channels: ['a'], mute: [{ weekdays: ['monday'] }] }),
      policy('nobody', 'root', { channels: [] }),
      policy('same', 'root'),
    ]);
    expect(['nobody', 'same'].map((id) => tree.byId.get(id)?.settings)).toMatchObject([
      { channels: [], mute: [] },
      { channels: ['a'], mute: [] },
    ]);
  });

  it('asks siblings by position', () => {
    const tree = built([
      policy('root', null),
      policy('b', 'root', { position: 1 }),
      policy('a', 'root', { position: 2 }),
    ]);
    expect(matchRoutes(tree.root, {}).map(({ id }) => id)).toEqual(['b']);
  });

  it('sends every alert somewhere, and nowhere twice', () => {
    const label = fc.constantFrom('', 'team-A', 'team-B', 'production', 'testing', 'role', 'long');
    const labels = fc.record({ owner: label, env: label, group_by: label, wait: label, job: label });
    fc.assert(
      fc.property(labels, (alert) => {
        const ids = matchRoutes(built(policies).root, alert).map(({ id }) => id);
        expect(ids.length).toBeGreaterThan(0);
        expect(new Set(ids).size).toBe(ids.length);
      }),
    );
  });

  it('has no root without a policy that has no parent', () => {
    expect(treeOf([policy('a', 'b')])).toBeUndefined();
  });

  it('counts the work of its patterns', () => {
    expect(built(policies).size).toBeGreaterThan(built([policy('root', null)]).size);
  });
});

describe('grouping', () => {
  const labels = { a: 'v1', b: 'v2', c: 'v3' };
  it.each([
    ['some labels', ['a', 'b'], { a: 'v1', b: 'v2' }],
    ['every label', ['...'], labels],
    ['no label', [], {}],
    ['a label that the alert does not have', ['a', 'missing'], { a: 'v1' }],
  ])('by %s', (_name, groupBy, expected) => {
    expect(groupLabelsOf({ groupBy }, labels)).toEqual(expected);
  });

  /**
   * The routes, the alerts and the groups of TestGroups in Alertmanager's dispatch/dispatch_test.go (https://github.com/prometheus/alertmanager at
   * 023885c, Apache-2.0, The Prometheus Authors), in our form.
   */
  it('makes the groups of several routes that Alertmanager makes', () => {
    const tree = built([
      policy('prod', null, { channels: ['prod'], groupBy: ['alertname'] }),
      policy('testing', 'prod', {
        position: 0,
        matchers: [is('env', 'testing')],
        channels: ['testing'],
        groupBy: ['alertname', 'service'],
      }),
      policy('env', 'prod', {
        position: 1,
        matchers: [is('env', 'prod')],
        channels: ['prod'],
        groupBy: ['alertname', 'service', 'cluster'],
        continues: true,
      }),
      policy('kafka', 'prod', {
        position: 2,
        matchers: [is('kafka', 'yes')],
        channels: ['kafka'],
        groupBy: ['alertname', 'service', 'cluster'],
      }),
    ]);
    const high = { env: 'prod', alertname: 'HighErrorRate', service: 'api' };
    const latency = {
      env: 'prod',
      alertname: 'HighLatency',
      cluster: 'bb',
      service: 'db',
      kafka: 'yes',
      instance: 'inst3',
    };
    const alerts: Readonly<Record<string, string>>[] = [
      { alertname: 'OtherAlert', cluster: 'cc', service: 'dd' },
      { env: 'testing', alertname: 'TestingAlert', service: 'api', instance: 'inst1' },
      { ...high, cluster: 'aa', instance: 'inst1' },
      { ...high, cluster: 'aa', instance: 'inst2' },
      { ...high, cluster: 'bb', instance: 'inst1' },
      latency,
    ];
    const groups = new Map<string, number[]>();
    for (const [n, one] of alerts.entries())
      for (const { settings } of matchRoutes(tree.root, one)) {
        const { alertname, service, cluster } = groupLabelsOf(settings, one);
        const key = [...settings.channels, alertname, service, cluster].filter((text) => text !== undefined).join(' ');
        groups.set(key, [...(groups.get(key) ?? []), n]);
      }
    expect(Object.fromEntries(groups)).toEqual({
      'prod OtherAlert': [0],
      'testing TestingAlert api': [1],
      'prod HighErrorRate api aa': [2, 3],
      'prod HighErrorRate api bb': [4],
      'prod HighLatency db bb': [5],
      'kafka HighLatency db bb': [5],
    });
  });

  it('has one key for equal labels, in whatever order, and another for others', () => {
    expect(keyOf({ a: '1', b: '2' })).toBe(keyOf({ b: '2', a: '1' }));
    const set = fc.dictionary(fc.string({ maxLength: 3 }), fc.string({ maxLength: 3 }), { maxKeys: 3 });
    fc.assert(
      fc.property(set, set, (one, other) => {
        const same = JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort());
        expect(keyOf(one) === keyOf(other)).toBe(same);
      }),
    );
  });
});

describe('a circle', () => {
  const chain = [policy('root', null), policy('a', 'root'), policy('b', 'a'), policy('c', 'b')];
  it.each([
    ['a', 'a', true],
    ['a', 'c', true],
    ['c', 'a', false],
    ['b', 'root', false],
  ])('is closed where %s comes below %s: %s', (id, parent, closes) => {
    expect(closesCircle(chain, id, parent)).toBe(closes);
  });
  it('is found even in rows that already have one', () => {
    expect(closesCircle([policy('x', 'y'), policy('y', 'x')], 'z', 'x')).toBe(false);
    expect(depthBelow(chain, 'c')).toBe(4);
  });
});

const now = 1_000_000_000;

describe('the first flush', () => {
  it.each([
    ['after group_wait', 0, 30_000],
    ['after group_wait while the alert is younger than that', 30_000, 30_000],
    ['at once for an older alert', 30_001, 0],
  ])('comes %s', (_name, ageMs, afterMs) => {
    expect(firstFlushAt({ startedAt: now - ageMs, groupWaitMs: 30_000 }, now)).toBe(now + afterMs);
  });
});
