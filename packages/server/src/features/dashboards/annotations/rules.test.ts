import { describe, expect, it } from 'vitest';
import { deploysIn, type FirstSeen, inOrder, isAfter } from './rules.ts';

const seen = (service: string, version: string, at: number, environment = 'production'): FirstSeen => ({
  ...{ service, version, at, environment },
});

describe('deploys', () => {
  it.each<[string, FirstSeen[], string[]]>([
    ['the second version of a service', [seen('a', '1', 50), seen('a', '2', 150)], ['2']],
    ['every later version', [seen('a', '1', 50), seen('a', '2', 150), seen('a', '3', 160)], ['2', '3']],
    ['a second version after a first one in the window', [seen('a', '1', 110), seen('a', '2', 150)], ['2']],
    ['no version of a service that is new itself', [seen('a', '1', 150)], []],
    ['no version that was there before', [seen('a', '1', 50), seen('a', '2', 60)], []],
    ['each environment for itself', [seen('a', '1', 50), seen('a', '2', 150, 'staging')], []],
    ['each service for itself', [seen('a', '1', 50), seen('b', '2', 150)], []],
    ['no missing version', [seen('a', '1', 50), seen('a', '', 150)], []],
    ['the first version that is named', [seen('a', '', 50), seen('a', '1', 150)], ['1']],
  ])('are %s', (_, all, versions) => {
    expect(deploysIn(all, 100).map(({ version }) => version)).toEqual(versions);
  });
});

describe('the order of annotations', () => {
  const one = (time: string, id: string) => ({ time, id });
  const all = [one('2026-01-02', 'b'), one('2026-01-01', 'deploy-1'), one('2026-01-01', 'b'), one('2026-01-01', 'a')];

  it('is the latest first, and by id at the same time', () => {
    expect([...all].reverse().sort(inOrder)).toEqual(all);
  });

  it('continues after a position', () => {
    const position = { time: new Date('2026-01-01T00:00:00.000Z'), id: 'b' };
    const rows = ['deploy-1', 'b', 'a'].map((id) => one('2026-01-01T00:00:00.000Z', id));
    expect(rows.filter((row) => isAfter(row, position)).map(({ id }) => id)).toEqual(['a']);
    expect(rows.filter((row) => isAfter(row, undefined))).toHaveLength(3);
  });
});
