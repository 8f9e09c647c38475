import { readFileSync } from 'node:fs';
import { bucketValue } from '@fanion/flag-engine';
import { describe, expect, it } from 'vitest';
import { Report } from '../../files/report.ts';
import { FlagDocument, SegmentDocument } from '../document.ts';
import { expectNotes } from '../testing/notes.ts';
import { evaluator } from '../testing/serve.ts';
import { convertAll, converters } from './index.ts';
import { convertLaunchDarkly } from './launchdarkly.ts';

const sample = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`samples/${name}.json`, import.meta.url), 'utf8'));
const report = new Report();
const set = convertAll(
  convertLaunchDarkly,
  ['launchdarkly', 'launchdarkly-segments'].map((name) => ({ name, content: sample(name) })),
  report,
);
const served = (environment: string) => evaluator(set, environment);

describe('import from LaunchDarkly', () => {
  it('produces valid documents', () => {
    for (const flag of set.flags) expect(FlagDocument.parse(flag)).toEqual(flag);
    for (const segment of set.segments) expect(SegmentDocument.parse(segment)).toEqual(segment);
    expect(set.flags.map(({ key }) => key)).toEqual(['new-basket', 'shop-open', 'theme']);
    expect(set.flags[0]).toMatchObject({ name: 'New basket', tags: ['checkout', 'team-basket'], temporary: true });
  });

  it.each([
    ['an individual target', { targetingKey: 'anna' }, true, 'TARGET_MATCH'],
    ['a target of another kind', { targetingKey: 'x', company: { key: 'acme' } }, false, 'TARGET_MATCH'],
    ['a rule', { targetingKey: 'x', email: 'x@shop.example' }, true, 'RULE_MATCH'],
    ['a rule, but in the segment', { targetingKey: 'mallory', email: 'x@shop.example' }, false, 'FALLTHROUGH'],
    [
      'a rule, but in the segment by its rule',
      { targetingKey: 'x', email: 'x@shop.example', risk: 91 },
      false,
      'FALLTHROUGH',
    ],
    ['nothing', { targetingKey: 'x' }, false, 'FALLTHROUGH'],
  ])('%s serves as before', (_, context, value, reason) => {
    expect(served('production')('new-basket', context)).toMatchObject({ value, reason });
  });

  it('keeps every unit in its bucket', () => {
    for (let i = 0; i < 200; i++) {
      const targetingKey = `user-${i}`;
      const before = bucketValue({ flag_key: 'new-basket', salt: '5f3c1e' }, targetingKey) < 0.25;
      expect(served('production')('new-basket', { targetingKey, country: 'DE' }).value).toBe(before);
      const light = bucketValue({ seed: '4711' }, targetingKey) < 0.5;
      expect(served('production')('theme', { targetingKey }).value).toBe(light ? 'light' : 'dark');
    }
  });

  it('keeps prerequisites that hold in every environment', () => {
    expect(set.flags[0]?.prerequisites).toEqual([{ flag: 'shop-open', variants: ['true'] }]);
  });

  it('reports what has no equivalent', () => {
    expectNotes(report.notes, [
      'lost flag gone: it is archived',
      'lost flag new-basket: custom properties',
      'lost flag new-basket: the prerequisite theme does not hold in production',
      'lost flag new-basket, production, rule 3: the operator fancyNewOperator',
      'changed segment Blocked, rule 2: the file has no salt',
      'lost segment everybody-ever: it is a big or synced segment',
      'changed all flags: contexts of the kind company are objects named "company"',
      'changed flag theme, production, fallthrough: it is the allocation of an experiment',
      'changed segment Blocked: its key is blocked here',
    ]);
  });

  it("reads the data of LaunchDarkly's SDKs, which covers one environment", () => {
    const data = {
      flags: {
        old: {
          key: 'old',
          on: true,
          variations: ['a', 'b'],
          salt: 'x',
          offVariation: 0,
          fallthrough: { variation: 1 },
          targets: [],
          rules: [{ variation: 0, clauses: [{ attribute: 'key', op: 'in', values: ['me'], negate: false }] }],
        },
      },
      segments: {},
    };
    const converted = convertLaunchDarkly(data);
    const ask = evaluator(converted, 'default');
    expect([ask('old', { targetingKey: 'me' }).value, ask('old', { targetingKey: 'you' }).value]).toEqual(['a', 'b']);
    expect(converted.notes).toEqual([]);
  });

  it('turns a flag off where it uses a big segment, whose members are not in the file', () => {
    const inSegment = (key: string, negate = false) => ({
      variation: 1,
      clauses: [{ attribute: '', op: 'segmentMatch', values: [key], negate }],
    });
    const environment = (...rules: object[]) => ({
      on: true,
      salt: 's',
      offVariation: 1,
      fallthrough: { variation: 0 },
      rules,
    });
    const environments = {
      production: environment(inSegment('banned')),
      staging: environment(inSegment('nested')),
      negated: environment(inSegment('banned', true)),
      development: environment(inSegment('known')),
    };
    const variations = [{ value: true }, { value: false }];
    const flags = { items: [{ key: 'open', variations, environments }] };
    const list = (key: string, more: object = {}) => ({ key, included: ['eve'], excluded: [], rules: [], ...more });
    // In another file, and after the flags: the order does not matter.
    const segments = {
      items: [list('known'), list('nested', { rules: [inSegment('banned')] }), list('banned', { unbounded: true })],
    };
    const report = new Report();
    const files = [flags, segments].map((content, i) => ({ name: `${i}.json`, content }));
    const set = convertAll(convertLaunchDarkly, files, report);
    const of = (name: string) => evaluator(set, name)('open', { targetingKey: 'eve' });
    for (const name of ['production', 'staging', 'negated'])
      expect(of(name), name).toMatchObject({ value: false, reason: 'OFF' });
    expect(of('development')).toMatchObject({ value: false, reason: 'RULE_MATCH' });
    // The server rejects rules on unknown segments, so none is left.
    expect(set.segments.map(({ key }) => key)).toEqual(['known']);
    expect(JSON.stringify(set.flags)).not.toMatch(/banned|nested/);
    expectNotes(report.notes, [
      'lost segment banned: it is a big or synced segment',
      'lost segment nested: it refers to the segment banned, so it is not imported either',
      'lost flag open, production, rule 1 here: the segment banned is not imported, so the rule is not either; off is the safe side',
      'lost flag open, staging, rule 1 here: the segment nested is not imported',
      'lost flag open, negated, rule 1 here: the segment banned is not imported',
    ]);
  });

  it('reports targets that it cannot keep and an experiment that names an attribute', () => {
    const served = { on: true, salt: 's', offVariation: 1, fallthrough: { variation: 0 } };
    const data = (more: object) => ({ flags: { f: { ...served, variations: [true, false], ...more } } });
    const notesOf = (more: object) =>
      convertLaunchDarkly(data(more)).notes.map(({ level, where, what }) => `${level} ${where}: ${what}`);
    expect(notesOf({ targets: [{ variation: 7, values: ['ada', 'bob'] }] })).toEqual([
      'lost flag f, default: its targets of the unknown variation 7 (ada, bob) are not imported',
    ]);
    const unasked = {
      targets: [{ variation: 0, values: ['ada'] }],
      contextTargets: [{ contextKind: 'user', variation: 1, values: [] }],
    };
    expect(notesOf(unasked)).toEqual([
      'lost flag f, default: the targets of variation 0 are not in its contextTargets and are ignored',
    ]);
    const weights = [{ variation: 0, weight: 100_000 }];
    expect(notesOf({ fallthrough: { rollout: { kind: 'experiment', bucketBy: 'org', variations: weights } } })).toEqual(
      [
        expect.stringContaining('it is the allocation of an experiment'),
        expect.stringContaining(
          'it names org as the attribute to divide by, which LaunchDarkly ignores in an experiment',
        ),
      ],
    );
  });

  it('keeps who is measured by an experiment or a guarded rollout, and says what the file does not have', () => {
    const rollout = {
      kind: 'experiment',
      variations: [
        { variation: 0, weight: 10_000, untracked: false },
        { variation: 1, weight: 10_000, untracked: false },
        { variation: 1, weight: 80_000, untracked: true },
      ],
      experimentAllocation: { type: 'measuredRollout', defaultVariation: 1 },
    };
    const served = { on: true, salt: 's', offVariation: 1, variations: [true, false] };
    const { flags, notes } = convertLaunchDarkly({ flags: { f: { ...served, fallthrough: { rollout } } } });
    expect(Object.values(flags[0]?.environments ?? {})[0]?.fallthrough).toMatchObject({
      rollout: {
        tracked: true,
        weights: [
          { variant: 'true', weight: 10_000 },
          { variant: 'false', weight: 10_000 },
          { variant: 'false', weight: 80_000, untracked: true },
        ],
      },
    });
    expect(notes.map(({ what }) => what)).toEqual([
      expect.stringMatching(/guarded rollout.*neither its next steps nor/),
    ]);
  });

  it('reads attributes of other kinds, names with slashes and paths as LaunchDarkly does', () => {
    const clause = (attribute: string, contextKind?: string) => ({ attribute, op: 'in', values: ['x'], contextKind });
    const rules = [
      clause('/a/b'),
      clause('/a/b', 'user'),
      clause('/a/b', 'org'),
      clause('a/b', 'org'),
      clause('a~b', 'org'),
      clause('name'),
    ].map((each) => ({ variation: 0, clauses: [each] }));
    const flag = {
      on: true,
      salt: 's',
      offVariation: 1,
      variations: [true, false],
      fallthrough: { variation: 1 },
      rules,
    };
    const { flags } = convertLaunchDarkly({ flags: { f: flag } });
    const read = flags[0]?.environments.default?.rules.map(({ clauses }) => [
      clauses[0]?.context_kind,
      clauses[0]?.attribute,
    ]);
    expect(read).toEqual([
      ['user', '/~1a~1b'],
      ['user', '/a/b'],
      ['org', '/a/b'],
      ['org', 'a/b'],
      ['org', 'a~b'],
      ['user', 'name'],
    ]);
  });

  it('finds a user of several kinds in the lists of a segment that is in another file', () => {
    const clause = { attribute: '', op: 'segmentMatch', values: ['team'] };
    const ofKind = { attribute: 'plan', op: 'in', values: ['pro'], contextKind: 'organization' };
    const production = {
      on: true,
      salt: 's',
      offVariation: 1,
      fallthrough: { variation: 1 },
      rules: [clause, ofKind].map((each) => ({ variation: 0, clauses: [each] })),
    };
    const flags = {
      items: [{ key: 'f', variations: [{ value: true }, { value: false }], environments: { production } }],
    };
    const segments = { items: [{ key: 'team', included: ['ada'], excluded: ['eve'], rules: [] }] };
    const files = [segments, flags].map((content, i) => ({ name: `${i}.json`, content }));
    const ask = evaluator(convertAll(convertLaunchDarkly, files, new Report()), 'production');
    const several = (key: string) => ({ kind: 'multi', user: { key }, organization: { key: 'acme' } });
    expect(ask('f', several('ada')).value).toBe(true);
    expect(ask('f', { targetingKey: 'ada' }).value).toBe(true);
    expect(ask('f', several('eve')).value).toBe(false);
  });

  it.each([
    [{ usingEnvironmentId: true, usingMobileKey: true }, undefined, 0],
    [{ usingEnvironmentId: false, usingMobileKey: false }, false, 0],
    [{ usingEnvironmentId: false, usingMobileKey: true }, false, 1],
    [undefined, undefined, 0],
  ])(
    'hides a flag from client keys unless it is available to all of them: %j',
    (clientSideAvailability, visible, told) => {
      const variations = [{ value: true }, { value: false }];
      const { flags, notes } = convertLaunchDarkly({
        items: [{ key: 'f', kind: 'boolean', variations, clientSideAvailability, environments: {} }],
      });
      expect(flags[0]?.client_visible).toBe(visible);
      expect(notes).toHaveLength(told);
    },
  );

  it('serves the default in the code where a flag has no fallthrough, as LaunchDarkly does', () => {
    const flag = { on: true, salt: 's', version: 1, variations: [true, false], offVariation: 1 };
    const rules = [{ clauses: [{ attribute: 'key', op: 'in', values: ['ada'] }], variation: 0 }];
    const converted = convertLaunchDarkly({ flags: { f: { ...flag, rules } }, segments: {} });
    const ask = evaluator(converted, 'default');
    expect(ask('f', { targetingKey: 'ada' })).toMatchObject({ value: true });
    expect(ask('f', { targetingKey: 'bob' })).toMatchObject({ value: null, variant: null, reason: 'FALLTHROUGH' });
    expectNotes(converted.notes, ['changed flag f, default: it has no fallthrough']);
  });

  it('names the positions in lists that LaunchDarkly does not read', () => {
    const clauses = [{ attribute: '/groups/0', contextKind: 'user', op: 'in', values: ['a'] }];
    const { notes } = convertLaunchDarkly({
      flags: { f: { on: true, variations: [1, 2], fallthrough: { variation: 0 }, rules: [{ clauses, variation: 1 }] } },
    });
    expectNotes(notes, ['changed all clauses: LaunchDarkly finds nothing at /groups/0']);
  });

  it('reports a list without details as a summary, and what else of a flag is lost', () => {
    const summary = { on: true, version: 3, _summary: { variations: { 0: { rules: 0 } } } };
    const { flags, notes } = convertLaunchDarkly({
      items: [
        {
          key: 'f',
          kind: 'boolean',
          variations: [{ value: true }, { value: false }],
          deprecated: true,
          maintainerId: '5',
          clientSideAvailability: { usingEnvironmentId: false, usingMobileKey: false },
          environments: { production: summary },
        },
      ],
    });
    expect(flags[0]?.environments).toEqual({});
    expectNotes(notes, [
      'lost all flags: maintainers',
      'lost environment production: the file has only a summary',
      'lost flag f: it is marked as deprecated',
    ]);
  });

  it.each(Object.entries(converters))('a file of another format is rejected by %s', (_, converter) => {
    for (const content of [null, [], 5, {}, { flags: 3 }, { items: 'x' }]) expect(() => converter(content)).toThrow();
  });
});

describe("LaunchDarkly's evaluation of malformed data", () => {
  const base = {
    version: 1,
    salt: 's',
    on: true,
    variations: ['a', 'b'],
    offVariation: 1,
    fallthrough: { variation: 1 },
  };
  const rule = (clauses: readonly object[]) => ({ id: 'r', variation: 0, clauses });
  const plan = { attribute: 'plan', op: 'in', values: ['pro'] };
  const everybody = { attribute: 'key', op: 'startsWith', values: ['u'] };
  const context = (more: object) => ({ targetingKey: 'u', ...more });
  function imported(flag: object, segments: object = {}) {
    const flags = { f: { key: 'f', ...base, ...flag } };
    const notes = new Report();
    const whole = convertAll(convertLaunchDarkly, [{ name: 'data', content: { flags, segments } }], notes);
    for (const one of whole.flags) expect(FlagDocument.parse(one)).toEqual(one);
    for (const one of whole.segments) expect(SegmentDocument.parse(one)).toEqual(one);
    return { ask: evaluator(whole, 'default'), notes: notes.notes };
  }

  it.each([
    ['no attribute', { op: 'in', values: ['x'] }],
    ['an empty step', { contextKind: 'user', attribute: '/a//b', op: 'in', values: ['x'] }],
    ['a wrong escape', { contextKind: 'user', attribute: '/a~2', op: 'in', values: ['x'] }],
    ['a negated clause', { contextKind: 'user', attribute: '/', op: 'in', values: ['x'], negate: true }],
  ])('serves the default in the code where a clause has %s', (_, malformed) => {
    const { ask, notes } = imported({ rules: [rule([plan, malformed]), rule([everybody])] });
    expect(ask('f', context({ plan: 'pro' }))).toMatchObject({ variant: null, reason: 'RULE_MATCH' });
    // Whom the clause before it leaves out does not arrive at it.
    expect(ask('f', context({ plan: 'free' }))).toMatchObject({ value: 'a' });
    expect(notes).toContainEqual(expect.objectContaining({ where: 'flag f, default, rule 1' }));
    expect(imported({ rules: [rule([malformed])] }).ask('f', context({}))).toMatchObject({ variant: null });
  });

  it('reads a slash in a clause without a kind as a part of the name', () => {
    const { ask, notes } = imported({ rules: [rule([{ attribute: '/a//b', op: 'in', values: ['x'] }])] });
    expect(ask('f', context({ '/a//b': 'x' }))).toMatchObject({ value: 'a' });
    expect(notes).toEqual([]);
  });

  it.each([
    [
      [1, 1],
      [1, 99_999],
    ],
    [
      [60_000, 60_000],
      [60_000, 40_000],
    ],
    [
      [100_000, 5],
      [100_000, 0],
    ],
  ])('ends the last part of a rollout of %j at the whole', (weights, whole) => {
    const variations = weights.map((weight, variation) => ({ variation, weight }));
    const { ask } = imported({ fallthrough: { rollout: { variations } } });
    const first = Array.from({ length: 400 }, (_, i) => `user-${i}`).filter(
      (unit) => ask('f', { targetingKey: unit }).value === 'a',
    );
    const expected = Array.from({ length: 400 }, (_, i) => `user-${i}`).filter(
      (unit) => bucketValue({ seed: 'f.s' }, unit) * 100_000 < (whole[0] ?? 0),
    );
    expect(first).toEqual(expected);
  });

  it('serves the default in the code for a rollout without variations', () => {
    const { ask } = imported({ rules: [{ id: 'r', rollout: { variations: [] }, clauses: [plan] }] });
    expect(ask('f', context({ plan: 'pro' }))).toMatchObject({ variant: null });
    expect(ask('f', context({}))).toMatchObject({ value: 'b' });
  });

  it('includes everybody by a rule of a segment without clauses', () => {
    const inSegment = rule([{ op: 'segmentMatch', values: ['s'] }]);
    const segments = { s: { key: 's', salt: 's', excluded: ['mallory'], rules: [{ clauses: [] }] } };
    const { ask, notes } = imported({ rules: [inSegment] }, segments);
    expect(['u', 'mallory'].map((key) => ask('f', { targetingKey: key }).value)).toEqual(['a', 'b']);
    expect(notes).toEqual([]);
  });

  it('leaves out a rule of a segment with a clause that cannot be read, and tells it', () => {
    const inSegment = rule([{ op: 'segmentMatch', values: ['s'] }]);
    const malformed = { contextKind: 'user', attribute: '/a//b', op: 'in', values: ['x'], negate: true };
    const segments = { s: { key: 's', salt: 's', rules: [{ clauses: [malformed] }] } };
    const { ask, notes } = imported({ rules: [inSegment] }, segments);
    expect(ask('f', context({ a: { '': { b: 'y' } } })).value).toBe('b');
    expect(notes).toContainEqual(expect.objectContaining({ level: 'lost', where: 'segment s, rule 1' }));
  });

  it('serves values of several types', () => {
    const { ask, notes } = imported({ variations: [{ a: 1 }, 'b'], rules: [rule([plan])] });
    expect(ask('f', context({ plan: 'pro' })).value).toEqual({ a: 1 });
    expect(ask('f', context({})).value).toBe('b');
    expect(notes.map(({ what }) => what)).toEqual(['its values are of several types: it is a JSON flag here']);
  });
});
