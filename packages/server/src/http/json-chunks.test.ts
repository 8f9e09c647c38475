import { setImmediate } from 'node:timers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSmall, jsonChunks } from './json-chunks.ts';

async function encoded(value: unknown): Promise<string> {
  let text = '';
  for await (const chunk of jsonChunks(value)) text += chunk;
  return text;
}

/** Larger than what is encoded without a pause: in breadth, depth or string length. */
const large = fc.oneof(
  fc.array(fc.array(fc.jsonValue(), { maxLength: 5 }), { minLength: 3_000, maxLength: 6_000 }),
  fc.dictionary(fc.string(), fc.string({ minLength: 50_000, maxLength: 200_000 }), { minKeys: 10, maxKeys: 20 }),
  fc.array(fc.jsonValue(), { minLength: 1, maxLength: 4 }).map((leaves) => {
    let tree: unknown = leaves;
    const leaf = { name: 'leaf', children: [] };
    for (let depth = 0; depth < 500; depth++)
      tree = { name: `frame ${depth}`, children: [tree, null, leaf, leaf, leaf, leaf, leaf, leaf] };
    return tree;
  }),
);

describe('JSON in chunks', () => {
  it('equals the result of JSON.stringify', async () => {
    await fc.assert(
      fc.asyncProperty(large, async (value) => {
        expect(isSmall(value)).toBe(false);
        expect(await encoded(value)).toBe(JSON.stringify(value));
      }),
      { numRuns: 15 },
    );
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        expect(await encoded(value)).toBe(JSON.stringify(value));
      }),
    );
  });

  it('omits undefined members', async () => {
    const rows = Array.from({ length: 6_000 }, () => [1, undefined]);
    expect(await encoded({ a: undefined, rows })).toBe(JSON.stringify({ a: undefined, rows }));
  });

  it('lets other work run in between, even within one array', async () => {
    const rows = Array.from({ length: 200_000 }, (_, n) => [n, 'text', null, true]);
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const sizes: number[] = [];
    for await (const chunk of jsonChunks({ data: { rows } })) sizes.push(chunk.length);
    isDone = true;
    // No step is long; a single JSON.stringify would leave no turn.
    expect(Math.max(...sizes)).toBeLessThan(200_000);
    expect(sizes.length).toBeGreaterThan(50);
    expect(turns).toBeGreaterThan(0);
  });
});
