import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { compile } from './compile.ts';
import { reference } from './reference.ts';
import { STAGES } from './stages/index.ts';

test('REFERENCE.md is what the sources say (npm run reference -w packages/oql)', () => {
  expect(readFileSync(new URL('../REFERENCE.md', import.meta.url), 'utf8')).toBe(reference());
});

const hour = { fromNs: 0n, toNs: 3_600_000_000_000n };
test.each(STAGES.flatMap((stage) => stage.examples))('%s', (example) => {
  const compiled = compile(example, { scope: { workspace: 1 }, window: hour, limit: 10, nowNs: hour.toNs });
  expect(compiled.ok ? [] : compiled.diagnostics.map((diagnostic) => diagnostic.message)).toEqual([]);
});
