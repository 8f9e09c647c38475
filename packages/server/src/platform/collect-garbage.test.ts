import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { collectGarbage } from './collect-garbage.ts';

it('frees a buffer that nothing refers to any more, without waiting for more allocations', async () => {
  const unused = new WeakRef(Buffer.allocUnsafeSlow(1024 ** 2).buffer);
  // A turn keeps what it has made.
  await nextTurn();
  collectGarbage();
  expect(unused.deref()).toBeUndefined();
});
