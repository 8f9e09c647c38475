import { expect, test } from 'vitest';
import { compile } from '../compile.ts';
import { STAGES } from './index.ts';

const hour = { fromNs: 0n, toNs: 3_600_000_000_000n };

test.each(STAGES.flatMap((stage) => stage.examples))('%s', (example) => {
  const compiled = compile(example, { scope: { workspace: 1 }, window: hour, limit: 10, nowNs: hour.toNs });
  expect(compiled.ok ? [] : compiled.diagnostics.map((diagnostic) => diagnostic.message)).toEqual([]);
});
