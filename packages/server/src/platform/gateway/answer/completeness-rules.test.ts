import { describe, expect, it } from 'vitest';
import { completenessOf, completenessOfAll, sampledShareOf, signalsRead } from './completeness-rules.ts';

const second = 1_000_000_000n;
const window = { fromNs: 1_000n * second, toNs: 2_000n * second };
const nothing = { items: 0, since: undefined, earliest: Number.POSITIVE_INFINITY };

describe('an answer', () => {
  it('is complete when its buckets are over and everything acknowledged is stored', () => {
    expect(
      completenessOf({ window, partialBuckets: [] }, { unstored: nothing, missingAnchors: 0, sampledShare: 1 }),
    ).toEqual({
      complete: true,
      partial_buckets: [],
      unstored: null,
      missing_anchors: 0,
      sampled_share: 1,
      shards_away: 0,
    });
  });

  it('names the buckets that it has only part of', () => {
    const partialBuckets = [{ fromNs: 1_800n * second, toNs: 2_100n * second }];
    expect(
      completenessOf({ window, partialBuckets }, { unstored: nothing, missingAnchors: 0, sampledShare: 1 }),
    ).toMatchObject({
      complete: false,
      partial_buckets: ['1970-01-01T00:30:00.000000000Z'],
    });
  });

  it('counts acknowledged items that are not stored yet', () => {
    expect(
      completenessOf(
        { window, partialBuckets: [] },
        { unstored: { items: 7, since: 2_999_000, earliest: 1_999_000 }, missingAnchors: 0, sampledShare: 1 },
      ),
    ).toMatchObject({
      complete: false,
      unstored: { items: 7, since: '1970-01-01T00:49:59.000Z' },
    });
  });

  it.each([[3], [null]])('is not complete with %s missing anchors', (missingAnchors) => {
    expect(
      completenessOf({ window, partialBuckets: [] }, { unstored: nothing, missingAnchors, sampledShare: 1 }),
    ).toMatchObject({
      complete: false,
      missing_anchors: missingAnchors,
    });
  });

  it.each([[0.1], [null]])('is not complete with the sampled share %s', (sampledShare) => {
    expect(
      completenessOf({ window, partialBuckets: [] }, { unstored: nothing, missingAnchors: 0, sampledShare }),
    ).toMatchObject({ complete: false, sampled_share: sampledShare });
  });

  it.each([
    [{ rows: 2, represented: 20 }, 0.1],
    [{ rows: 3, represented: 3 }, 1],
    [{ rows: 0, represented: 0 }, 1],
  ])('of %j has its share', (counted, share) => {
    expect(sampledShareOf(counted)).toBe(share);
  });

  it('is complete when what is not stored is later than its window', () => {
    expect(
      completenessOf(
        { window, partialBuckets: [] },
        { unstored: { items: 7, since: 2_000_000, earliest: 2_000_000 }, missingAnchors: 0, sampledShare: 1 },
      ),
    ).toMatchObject({
      complete: true,
      unstored: null,
    });
  });
});

describe('several answers', () => {
  it('lack what any of them lacks', () => {
    const whole = completenessOf(
      { window, partialBuckets: [] },
      { unstored: nothing, missingAnchors: 0, sampledShare: 1 },
    );
    expect(completenessOfAll([])).toEqual(whole);
    expect(completenessOfAll([whole, whole])).toEqual(whole);
    const late = (since: string) => ({ ...whole, complete: false, unstored: { items: 1, since } });
    const rare = { ...whole, complete: false, missing_anchors: 2 };
    expect(completenessOfAll([whole, late('2026-11-23T12:00:01Z'), rare, late('2026-11-23T12:00:00Z')])).toEqual({
      ...whole,
      complete: false,
      unstored: { items: 1, since: '2026-11-23T12:00:00Z' },
      missing_anchors: 2,
    });
    expect(completenessOfAll([rare, { ...whole, missing_anchors: null }]).missing_anchors).toBeNull();
  });
});

describe('the signals of a statement', () => {
  it('are those whose telemetry becomes rows of its tables', () => {
    expect(signalsRead({ tables: ['spans', 'trace_index', 'logs'] })).toEqual(['traces', 'logs']);
    expect(signalsRead({ tables: ['flag_events'] })).toEqual(['evaluations', 'logs', 'traces']);
  });
});
