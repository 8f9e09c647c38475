import { describe, expect, it } from 'vitest';
import { EnvironmentDocument, FlagDocument, type FlagSet, SegmentDocument } from './document.ts';
import { plan, withKnownIds } from './plan.ts';
import type { RemoteState } from './remote.ts';

const served = (fields: object = {}) =>
  EnvironmentDocument.parse({ enabled: true, off_variant: 'false', fallthrough: { variant: 'true' }, ...fields });
const flagOf = (key: string, fields: object = {}) =>
  FlagDocument.parse({
    key,
    name: key,
    kind: 'boolean',
    variants: [
      { key: 'true', value: true },
      { key: 'false', value: false },
    ],
    ...fields,
  });
const segmentOf = (key: string, fields: object = {}) => SegmentDocument.parse({ key, name: key, ...fields });

function remoteOf(set: Partial<FlagSet> = {}, more: Partial<RemoteState> = {}): RemoteState {
  const flags = (set.flags ?? []).map((document) => {
    const { default_variant = 'true', off_variant = 'false' } = document;
    const versions = Object.fromEntries(Object.keys(document.environments).map((key) => [key, 5]));
    return [document.key, { document: { ...document, default_variant, off_variant }, version: 3, versions }] as const;
  });
  const segments = (set.segments ?? []).map((document) => [document.key, { document, version: 2 }] as const);
  return {
    environments: ['production', 'development'],
    flags: new Map(flags),
    flagKeys: new Set(flags.map(([key]) => key)),
    archived: new Set(),
    segments: new Map(segments),
    segmentKeys: new Set(segments.map(([key]) => key)),
    pending: [],
    ...more,
  };
}

const titles = (desired: Partial<FlagSet>, remote: RemoteState) =>
  plan({ flags: [], segments: [], ...desired }, remote).steps.map(({ title }) => title);

describe('plan', () => {
  it('finds what the server would reject before the first write', () => {
    const rollout = (weight: number) => ({ rollout: { weights: [{ variant: 'true', weight }] } });
    const inSegment = (key: string) => [{ clauses: [{ op: 'in_segment', values: [key] }] }];
    const problemsOf = (desired: Partial<FlagSet>, remote = remoteOf()) =>
      plan({ flags: [], segments: [], ...desired }, remote).problems;
    const requires = (flag: string) => ({ prerequisites: [{ flag, variants: ['true'] }] });
    expect(
      problemsOf({ flags: [flagOf('a', { environments: { production: served({ fallthrough: rollout(7) }) } })] }),
    ).toEqual(['flag a, production: fallthrough.rollout.weights: must sum to 100000 (100%), not 7']);
    expect(problemsOf({ flags: [flagOf('a', requires('b')), flagOf('b', requires('a'))] })).toEqual([
      'flag a: prerequisites: would make a cycle: a → b → a',
      'flag b: prerequisites: would make a cycle: b → a → b',
    ]);
    expect(
      problemsOf({ flags: [flagOf('a', requires('b'))] }, remoteOf({ flags: [flagOf('b', requires('a'))] })),
    ).toEqual(['flag a: prerequisites: would make a cycle: a → b → a']);
    expect(problemsOf({ flags: [flagOf('a', requires('nowhere'))] })).toEqual([
      'flag a: prerequisites.0.flag: unknown flag "nowhere"',
    ]);
    const segments = [segmentOf('x', { rules: inSegment('y') }), segmentOf('y', { rules: inSegment('x') })];
    expect(problemsOf({ segments })[0]).toBe('segment y: rules: would make a cycle: y → x → y');
    expect(problemsOf({ flags: [flagOf('a', { variants: [{ key: 'true', value: 'yes' }] })] })).toEqual([
      'flag a: variants.0.value: must be a boolean, the kind of the flag',
    ]);
  });

  it('is empty when nothing differs', () => {
    const set = {
      flags: [
        flagOf('a', { environments: { production: served({ rules: [{ id: 'r', clauses: [], variant: 'true' }] }) } }),
      ],
      segments: [segmentOf('s', { included: ['x', 'y'] })],
    };
    expect(titles(set, remoteOf(set))).toEqual([]);
    const sameKeys = [segmentOf('s', { included: ['y', 'x'] })];
    expect(titles({ segments: sameKeys }, remoteOf(set))).toEqual([]);
  });

  it('writes segments before flags, prerequisites before targeting, and nested segments before those that name them', () => {
    const inSegment = (key: string) => ({ clauses: [{ op: 'in_segment', values: [key] }] });
    const desired = {
      flags: [
        flagOf('a', {
          prerequisites: [{ flag: 'b', variants: ['true'] }],
          environments: { production: served({ rules: [{ ...inSegment('outer'), variant: 'true' }] }) },
        }),
        flagOf('b', { environments: { production: served() } }),
      ],
      segments: [segmentOf('outer', { rules: [inSegment('inner')] }), segmentOf('inner', { included: ['x'] })],
    };
    expect(titles(desired, remoteOf())).toEqual([
      '+ segment inner',
      '+ segment outer',
      '+ flag a',
      '+ flag b',
      '~ flag a, prerequisites',
      '~ flag a in production',
      '~ flag b in production',
    ]);
  });

  it('does not write the default targeting of a new flag', () => {
    const off = EnvironmentDocument.parse({ enabled: false, fallthrough: { variant: 'true' } });
    expect(titles({ flags: [flagOf('a', { environments: { production: off } })] }, remoteOf())).toEqual(['+ flag a']);
  });

  it('carries the versions that were read and reports the differences', () => {
    const before = flagOf('a', { environments: { production: served() } });
    const after = flagOf('a', { name: 'A', environments: { production: served({ enabled: false }) } });
    const { steps } = plan({ flags: [after], segments: [] }, remoteOf({ flags: [before] }));
    expect(steps.map(({ write, lines }) => [write.kind, 'version' in write && write.version, lines])).toEqual([
      ['update_flag', 3, ['name: "a" → "A"']],
      ['set_targeting', 5, ['enabled: true → false']],
    ]);
  });

  it('does not change what a document does not name', () => {
    const before = flagOf('a', {
      default_variant: 'false',
      environments: { production: served(), development: served() },
    });
    const after = flagOf('a', { name: undefined, environments: { production: served() } });
    expect(titles({ flags: [after] }, remoteOf({ flags: [before, flagOf('other')] }))).toEqual([]);
  });

  it('adds variants first and removes variants last', () => {
    const third = { key: 'maybe', value: true };
    const before = flagOf('a', {
      variants: [...flagOf('a').variants, third],
      environments: { production: served({ fallthrough: { variant: 'maybe' } }) },
    });
    const after = flagOf('a', { environments: { production: served() } });
    expect(titles({ flags: [after] }, remoteOf({ flags: [before] }))).toEqual(['~ flag a in production', '~ flag a']);
    expect(titles({ flags: [before] }, remoteOf({ flags: [after] }))).toEqual(['~ flag a', '~ flag a in production']);
  });

  it('reports what cannot be done and then plans no writes', () => {
    const inNobody = [{ clauses: [{ op: 'in_segment', values: ['nobody'] }], variant: 'true' }];
    const desired = {
      flags: [
        flagOf('a', { kind: 'string', variants: [{ key: 'true', value: 'x' }] }),
        flagOf('old'),
        flagOf('c', { environments: { mars: served({ rules: inNobody }) } }),
      ],
      segments: [],
    };
    const { steps, problems } = plan(desired, remoteOf({ flags: [flagOf('a')] }, { archived: new Set(['old']) }));
    expect(steps).toEqual([]);
    expect(problems).toEqual([
      'flag a: its kind is boolean and cannot become string',
      'flag old: it is archived; restore it first',
      'flag c: the project has no environment mars',
      'flag c, mars: there is no segment nobody',
    ]);
  });

  it('recognizes a change that waits for approval, regardless of its version', () => {
    const desired = {
      flags: [flagOf('a', { environments: { production: served({ enabled: false }) } })],
      segments: [],
    };
    const remote = remoteOf({ flags: [flagOf('a', { environments: { production: served() } })] });
    const digest = plan(desired, remote).steps[0]?.digest;
    const waiting = plan(desired, { ...remote, pending: [`apply [${digest}]`] }).steps;
    expect(waiting.map((step) => step.waiting)).toEqual([true]);
  });
});

describe('rule ids', () => {
  const rule = (attribute: string, id?: string) => ({
    ...(id !== undefined && { id }),
    clauses: [{ attribute, op: 'exists' as const, values: [], negate: false }],
    variant: 'true',
  });
  const ids = (rules: ReturnType<typeof rule>[], now: ReturnType<typeof rule>[]) =>
    withKnownIds(rules, now).map(({ id }) => id);

  it.each([
    ['the same', [rule('a'), rule('b')], ['1', '2']],
    ['one before them', [rule('new'), rule('a'), rule('b')], [undefined, '1', '2']],
    ['in another order', [rule('b'), rule('a')], ['2', '1']],
    ['one of them gone', [rule('b')], ['2']],
    ['one of them changed', [rule('a'), rule('changed')], ['1', '2']],
    ['an id of their own', [rule('x', 'mine'), rule('b')], ['mine', '2']],
    ['an id taken by another', [rule('x', '2'), rule('y')], ['2', undefined]],
  ])('stay with rules that are %s', (_, rules, expected) => {
    expect(ids(rules, [rule('a', '1'), rule('b', '2')])).toEqual(expected);
  });

  it('removes what is not named only with prune, dependents first', () => {
    const inSegment = (key: string) => [{ clauses: [{ op: 'in_segment', values: [key] }] }];
    const there = {
      flags: [
        flagOf('base', { environments: { production: served() } }),
        flagOf('kept'),
        flagOf('upper', { prerequisites: [{ flag: 'base', variants: ['true'] }] }),
      ],
      segments: [segmentOf('all'), segmentOf('kept'), segmentOf('some', { rules: inSegment('all') })],
    };
    const desired = { flags: [flagOf('kept')], segments: [segmentOf('kept')] };
    expect(titles(desired, remoteOf(there))).toEqual([]);
    const { steps } = plan(desired, remoteOf(there), { prune: true });
    expect(steps.map(({ title }) => title)).toEqual([
      '- flag upper, archived',
      '- flag base, archived',
      '- segment some',
      '- segment all',
    ]);
    expect(steps.map(({ lines }) => lines[0])).toEqual([
      'off everywhere',
      'on in production',
      '0 included, 0 excluded',
      '0 included, 0 excluded',
    ]);
  });
});
