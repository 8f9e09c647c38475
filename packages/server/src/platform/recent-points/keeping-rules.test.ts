import { beforeEach, expect, it } from 'vitest';
import { createKeeping, idleMs, type Keeping, marginMs, type Place } from './keeping-rules.ts';

const hour = 3_600_000;
const start = 1_790_000_000_000;
const cart: Place = { workspace: 1, metric: 'cart' };

let keeping: Keeping;
beforeEach(() => {
  keeping = createKeeping();
});

/** Asks twice, and loads. */
function keep(now: number): void {
  keeping.asked(cart, now - hour, now);
  expect(keeping.asked(cart, now - hour, now)).toMatchObject({ do: 'load' });
  keeping.settled(cart, true);
}

it('loads a metric that is queried again within ten minutes, and answers when it is loaded', () => {
  expect(keeping.asked(cart, start - hour, start)).toEqual({ do: 'ask the engine' });
  const again = start + idleMs;
  expect(keeping.asked(cart, again - hour, again)).toMatchObject({ do: 'load', reachMs: hour + marginMs });
  expect(keeping.asked(cart, again - hour, again)).toEqual({ do: 'ask the engine' });
  keeping.settled(cart, true);
  expect(keeping.asked(cart, again - hour, again)).toEqual({ do: 'answer' });
});

it('does not load a metric that is queried again later', () => {
  const later = start + idleMs + 1;
  keeping.asked(cart, start - hour, start);
  expect(keeping.asked(cart, later - hour, later)).toEqual({ do: 'ask the engine' });
});

it('does not answer queries that begin earlier than what is kept, and loads more for the second one', () => {
  keep(start);
  const before = start - 2 * hour;
  expect(keeping.asked(cart, before, start)).toEqual({ do: 'ask the engine' });
  expect(keeping.asked(cart, start - hour, start)).toEqual({ do: 'answer' });
  expect(keeping.asked(cart, before, start)).toMatchObject({ do: 'load', reachMs: 2 * hour + marginMs });
  expect(keeping.asked(cart, start - hour, start)).toEqual({ do: 'ask the engine' });
});

it('gives each load another number, so that an old one adds nothing to a new one', () => {
  keep(start);
  const first = keeping.settled(cart, true);
  keeping.dropped(cart, start, 0);
  expect(keeping.settled(cart, true)).toBeUndefined();
  keep(start + 1);
  expect(keeping.settled(cart, true)).not.toBe(first);
});

it('does not load a dropped metric while it is denied', () => {
  keep(start);
  keeping.dropped(cart, start, 60_000);
  const ask = (now: number) => keeping.asked(cart, now - hour, now).do;
  expect([ask(start + 1), ask(start + 2), ask(start + 59_999)]).toEqual(Array(3).fill('ask the engine'));
  expect(ask(start + 60_000)).toBe('load');
});

it('forgets a metric ten minutes after the last query', () => {
  keep(start);
  keeping.tidy(start + idleMs);
  expect(keeping.places()).toEqual([cart]);
  keeping.tidy(start + idleMs + 1);
  expect(keeping.places()).toEqual([]);
});
