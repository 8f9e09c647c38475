import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { metricAnswers, written } from './testing/metric-answers.ts';
import { type Fixture, id, type Sent, startTempoWorld, type TempoWorld } from './testing/shop.ts';

const one = '6f7651916cd43dd8448eb211c80319c0';
const other = '7f7651916cd43dd8448eb211c80319c0';
const span = (trace: string, number: number, parent: number | undefined, more: Partial<Sent>): Sent => ({
  ...{ trace, id: id(number), service: 'web', name: `span ${number}`, kind: 'internal', at: number, ms: 1 },
  ...(parent !== undefined && { parent: id(parent) }),
  ...more,
});

/** The parent was sent twice, and so was a child; the ids are those of another trace, too. */
const root = span(one, 1, undefined, { attributes: { route: '/a' } });
const child = span(one, 2, 1, {});
const fixture: Fixture = {
  spans: [
    root,
    { ...root, at: 500, attributes: { route: '/late' } },
    child,
    child,
    span(one, 3, 1, { standsFor: 4 }),
    span(other, 1, undefined, { attributes: { route: '/b' } }),
    span(other, 2, 1, {}),
  ],
  resourceOf: () => ({}),
  scopeOf: () => ({ name: 'lib', version: '1' }),
};

describe('what spans have of their relatives', () => {
  let tempo: TempoWorld;
  beforeAll(async () => {
    tempo = await startTempoWorld(fixture);
  }, 120_000);
  afterAll(() => tempo?.world.stop());

  const { instant } = metricAnswers(() => tempo);
  const values = async (q: string) =>
    Object.fromEntries((await instant(q)).map(({ labels, value }) => [written(labels), value]));

  it('reads the first of the spans that have the id of a parent, and counts each child once', async () => {
    expect(await values('{ span:childCount != nil } | count_over_time() by (parent.route)')).toEqual({
      'parent.route=/a': 6,
      'parent.route=/b': 1,
      'parent.route=nil': 3,
    });
    expect(await values('{ span:childCount > 0 } | max_over_time(span:childCount) by (.route)')).toEqual({
      '.route=/a': 2,
      '.route=/late': 2,
      '.route=/b': 1,
    });
    expect(await values('{ span:childCount = 2 } | count_over_time()')).toEqual({ '__name__=count_over_time': 2 });
  });

  it('counts a sampled span for those that it stands for, after arithmetic and comparisons', async () => {
    expect(await values('({ parent.route != nil } | count_over_time()) * 10 > 60')).toEqual({
      '__name__=count_over_time': 70,
    });
    expect(await values('{ parent.route = parent.span.route } | count_over_time()')).toEqual({
      '__name__=count_over_time': 7,
    });
  });
});
