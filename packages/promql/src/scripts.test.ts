import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runScript } from './testing/run.ts';

const folder = fileURLToPath(new URL('../fixtures/', import.meta.url));
const files = readdirSync(folder);

describe('answers of Prometheus', () => {
  it.each(files)('agrees with %s', async (file) => {
    const outcomes = await runScript(readFileSync(folder + file, 'utf8'));
    expect(outcomes.length).toBeGreaterThan(5);
    expect(outcomes.filter(({ wrong }) => wrong !== undefined)).toEqual([]);
  });

  it('reports an answer that differs from the script', async () => {
    const [first, second] = await runScript(
      'load 1m\n  a 1\n\neval instant at 0 a\n  a 2\n\neval instant at 0 a\n  b 1\n',
    );
    expect([first?.wrong, second?.wrong]).toEqual(['a: expected 2, got 1', 'unexpected a 1']);
  });
});
