import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { collectGarbage } from './collect-garbage.ts';

/** In a function of its own, whose variables are gone when it returns. */
function unusedBuffer(): WeakRef<ArrayBufferLike> {
  return new WeakRef(Buffer.allocUnsafeSlow(1024 ** 2).buffer);
}

it('frees a buffer that nothing refers to any more, without waiting for more allocations', async () => {
  const unused = unusedBuffer();
  // A turn keeps what it has made.
  await nextTurn();
  collectGarbage();
  expect(unused.deref()).toBeUndefined();
});
