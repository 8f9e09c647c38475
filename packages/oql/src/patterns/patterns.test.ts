import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Engine, startEngine } from '../testing/engine.ts';
import { accuracyOf, LOG_SETS, linesOf } from '../testing/log-sets.ts';
import { withTemplates } from './over.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine([]);
});
afterAll(() => engine.stop());

/** The template of each text, as if it were the only one with its shape. */
async function templates(texts: readonly string[]): Promise<string[]> {
  const rows =
    'SELECT n, {texts:Array(String)}[n + 1] AS text FROM (SELECT arrayJoin(range(length({texts:Array(String)}))) AS n)';
  const answer = await engine.select(`SELECT template FROM (${withTemplates(rows, 'text')}) ORDER BY n`, { texts });
  return answer.map(([template]) => String(template));
}

describe('templates', () => {
  test.each([
    ['numbers, ids and hexadecimal words', ['job 1 of deadbeefdeadbeef'], 'job * of *'],
    ['durations and sizes', ['sent 3 KB to all', 'sent 12 bytes to all', 'sent 40% to all'], 'sent * to all'],
    ['a duration in one of two forms', ['lasted <1 sec', 'lasted 00:12'], 'lasted *'],
    ['paths', ['read /a/b', 'read /c/d/e'], 'read *'],
    ['host names with a port', ['asked a.example:80 again', 'asked 10.0.0.1:80 again'], 'asked * again'],
    ['a value that is said again in brackets', ['from 10.0.0.1 (a.example)', 'from 10.0.0.2 ()'], 'from *'],
    ['lists', ['ask 1', 'ask 1, 2', 'ask 1 2 3'], 'ask *'],
    ['what is assigned', ['state=open x=1', 'state=closed x=2'], 'state=* x=*'],
    ['the name of a user', ['user alice logged in', 'user bob logged in'], 'user * logged in'],
    ['words of many forms', [...'abcde'].map((name) => `node ${name} said hello`), 'node * said hello'],
    ['months and weekdays', ['since Mon Jan 3', 'since Tue Feb 4'], 'since *'],
  ])('hide %s', async (_, texts, template) => {
    expect(new Set(await templates(texts))).toEqual(new Set([template]));
  });

  test.each([
    ['two to four words in one place', ['vm started now', 'vm stopped now', 'vm paused now', 'vm resumed now']],
    ['methods in quoted text', ['"GET /a" ok', '"POST /a" ok', '"DELETE /a" ok']],
    ['messages of logfmt', ['level=info msg=started', 'level=info msg=stopped']],
    ['texts of different length', ['connected', 'connected again']],
    ['a path or a name that is always the same', ['java.io.IOException: closed by peer']],
    ['the empty text', ['']],
  ])('keep %s', async (_, texts) => expect(await templates(texts)).toEqual(texts));

  test('shows the start of a very long text', async () => {
    const [words, characters] = await templates(['a '.repeat(4000), 'n'.repeat(8000)]);
    expect(words?.split(' ')).toHaveLength(200);
    expect(characters).toBe(`${'n'.repeat(2000)} *`);
  });

  const word = fc.constantFrom('a', 'b', 'cc', 'd', 'e', 'f', '7', 'x=1', 'y=z', '/p/q', 'k.l.m', '(', ')', '"', ',');
  const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(' '));
  test('match their texts word by word, independent of the order of the texts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(text, { minLength: 1, maxLength: 40 }), async (texts) => {
        const found = await templates(texts);
        for (const [i, template] of found.entries()) {
          const shape = (texts[i] ?? '').trim().replace(/\S*\d\S*/g, (number) => number.replace(/\w*\d\w*/g, '*'));
          const pattern = template
            .split('*')
            .map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
            .join('.*');
          expect(shape).toMatch(new RegExp(`^${pattern}$`));
        }
        const reversed = await templates([...texts].reverse());
        expect(reversed.reverse()).toEqual(found);
      }),
      { numRuns: 25 },
    );
  });
});

test.each(LOG_SETS)('groups the lines of $name by their templates', async (set) => {
  const lines = linesOf(set);
  const truth = lines.map(({ truth }) => truth);
  const found = await templates(lines.map(({ line }) => line));
  const wrong = lines.filter((_, i) => lines.some((_, j) => (truth[i] === truth[j]) !== (found[i] === found[j])));
  expect(wrong.map(({ line }) => line).slice(0, 5)).toEqual([]);
  expect(accuracyOf(truth, found).accuracy).toBe(1);
});
