import { beforeEach, describe, expect, it } from 'vitest';
import { createKeeping, idleMs, type Keeping, longestReachMs, marginMs, type Place } from './keeping-rules.ts';

const hour = 3_600_000;
const start = 1_790_000_000_000;
const maxBytes = 1_000;

const cart: Place = { workspace: 1, metric: 'cart' };
const shop: Place = { workspace: 1, metric: 'shop' };
const other: Place = { workspace: 2, metric: 'cart' };

let keeping: Keeping;
beforeEach(() => {
  keeping = createKeeping({ maxBytes });
});

/** Asks twice, and loads so many bytes. */
function keep(place: Place, bytes: number, now: number): void {
  keeping.asked(place, now - hour, now);
  expect(keeping.asked(place, now - hour, now)).toMatchObject({ do: 'load' });
  keeping.resized(place, bytes);
  keeping.loaded(place);
}

describe('a metric', () => {
  it('is loaded when it is asked for again within ten minutes, and answers when it is whole', () => {
    expect(keeping.asked(cart, start - hour, start)).toEqual({ do: 'ask the engine' });
    const again = start + idleMs;
    expect(keeping.asked(cart, again - hour, again)).toEqual({ do: 'load', fromMs: again - hour - marginMs });
    expect(keeping.asked(cart, again - hour, again)).toEqual({ do: 'ask the engine' });
    keeping.loaded(cart);
    expect(keeping.asked(cart, again - hour, again)).toEqual({ do: 'answer' });
  });

  it('is not loaded when it is asked for again later, or far back, or when nothing is to be kept', () => {
    const later = start + idleMs + 1;
    keeping.asked(cart, start - hour, start);
    expect(keeping.asked(cart, later - hour, later)).toEqual({ do: 'ask the engine' });
    const far = start - longestReachMs - 1;
    for (let i = 0; i < 3; i++) expect(keeping.asked(shop, far, start)).toEqual({ do: 'ask the engine' });
    const none = createKeeping({ maxBytes: 0 });
    const mayKeep = [keeping.mayKeep(far + 1, start), keeping.mayKeep(far, start), none.mayKeep(start, start)];
    expect(mayKeep).toEqual([true, false, false]);
    for (let i = 0; i < 3; i++) expect(none.asked(cart, start - hour, start)).toEqual({ do: 'ask the engine' });
  });

  it('does not answer questions that begin before what is kept, and is loaded anew for the second one', () => {
    keep(cart, 10, start);
    const before = start - 2 * hour;
    expect(keeping.asked(cart, before, start)).toEqual({ do: 'ask the engine' });
    expect(keeping.asked(cart, start - hour, start)).toEqual({ do: 'answer' });
    expect(keeping.asked(cart, before, start)).toEqual({ do: 'load', fromMs: before - marginMs });
    expect(keeping.asked(cart, start - hour, start)).toEqual({ do: 'ask the engine' });
  });

  it('is idle ten minutes after the last question', () => {
    keep(cart, 10, start);
    keeping.asked(cart, start, start + 60_000);
    expect(keeping.idle(start + 60_000 + idleMs)).toEqual([]);
    expect(keeping.idle(start + 60_000 + idleMs + 1)).toMatchObject([cart]);
  });

  it('loses the points that no question of the last ten minutes needs, and answers none about them', () => {
    keep(cart, 10, start);
    expect(keeping.trims(start + idleMs)).toEqual([]);
    const later = start + hour;
    keeping.asked(cart, later - hour, later);
    const fromMs = later - hour - marginMs - idleMs;
    expect(keeping.trims(later)).toEqual([{ ...cart, fromMs }]);
    expect(keeping.trims(later)).toEqual([]);
    expect(keeping.asked(cart, fromMs, later)).toEqual({ do: 'answer' });
    expect(keeping.asked(cart, fromMs - 1, later)).toEqual({ do: 'ask the engine' });
  });

  it('that was dropped is not loaded while it is denied', () => {
    keep(cart, 10, start);
    keeping.dropped(cart, start, 60_000);
    const ask = (now: number) => keeping.asked(cart, now - hour, now).do;
    expect([ask(start + 1), ask(start + 2), ask(start + 59_999)]).toEqual(Array(3).fill('ask the engine'));
    expect(ask(start + 60_000)).toBe('load');
  });
});

describe('where the memory is full', () => {
  it('the metric goes that was asked for least recently', () => {
    keep(cart, 600, start);
    keep(shop, 600, start + 1);
    expect(keeping.excess()).toMatchObject(cart);
    keeping.asked(cart, start - hour, start + 2);
    expect(keeping.excess()).toMatchObject(shop);
    keeping.dropped(shop, start, 0);
    expect(keeping.excess()).toBeUndefined();
  });

  it('a workspace with more than half of it goes first, while others have some', () => {
    keep(other, 300, start);
    keep(cart, 400, start + 1);
    keep(shop, 400, start + 2);
    expect(keeping.excess()).toMatchObject(cart);
    keeping.dropped(cart, start, 0);
    expect(keeping.excess()).toBeUndefined();
  });
});
