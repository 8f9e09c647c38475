import { describe, expect, it } from 'vitest';
import { createUnstored } from './unstored.ts';

const scope = { workspace: 1, project: undefined, environment: undefined };
const clock = { now: () => 100_000 };
const own = { items: 3, since: 99_000, earliest: 98_000 };

const othersAt = (ms: number) => ({ refresh: async () => {}, withOwn: () => ({ running: ms, all: ms }) });

describe('unstored telemetry', () => {
  it('is that of the own log when no other server writes to the store', async () => {
    const unstored = createUnstored({ held: () => own, others: undefined, clock });
    expect(await unstored(scope, ['logs'])).toEqual(own);
  });

  it('is that of the own log while the other servers keep up', async () => {
    const others = othersAt(95_000);
    const unstored = createUnstored({ held: () => own, others, clock });
    expect(await unstored(scope, ['logs'])).toEqual(own);
  });

  it('has an unknown number of items when another server is behind', async () => {
    const others = othersAt(80_000);
    const unstored = createUnstored({ held: () => ({ items: 0, since: undefined, earliest: 0 }), others, clock });
    expect(await unstored(scope, ['logs'])).toEqual({ items: null, since: 80_000, earliest: Number.NEGATIVE_INFINITY });
  });

  it('is unknown while the control plane is down', async () => {
    const unstored = createUnstored({
      held: () => own,
      others: { ...othersAt(0), refresh: () => Promise.reject(new Error('down')) },
      clock,
    });
    expect(await unstored(scope, ['logs'])).toMatchObject({ items: null });
  });
});
