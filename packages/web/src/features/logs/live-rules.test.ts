import { expect, it } from 'vitest';
import { appendLines, EMPTY_LINES, KEPT } from './live-rules.ts';

it('puts the newest line first, drops the oldest, and counts all', () => {
  const first = appendLines(EMPTY_LINES, [{ n: 1 }, { n: 2 }], 0);
  expect(first.rows).toEqual([{ n: 2 }, { n: 1 }]);
  const many = appendLines(
    first,
    Array.from({ length: KEPT }, (_, n) => ({ n: n + 3 })),
    7,
  );
  expect(many).toMatchObject({ seen: KEPT + 2, dropped: 7 });
  expect(many.rows).toHaveLength(KEPT);
  expect(many.rows[0]).toEqual({ n: KEPT + 2 });
});
