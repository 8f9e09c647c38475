import { afterAll, beforeAll, test } from 'vitest';
import { type Engine, startEngine } from './testing/engine.ts';
import { expectRows } from './testing/golden/compare.ts';
import { GOLDEN } from './testing/golden/index.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

test.each(GOLDEN)('$query', async (golden) => {
  expectRows((await engine.ask(golden.query)).rows, golden);
});
