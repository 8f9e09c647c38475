import { describe, expect, it } from 'vitest';
import { type AlertQuestion, createSharedAnswers } from './shared-answers.ts';

const query = 'spans | stats value=count() by service.name';
const question: AlertQuestion = {
  scope: { workspace: 1, project: 2, environment: undefined },
  query,
  fromNs: 0n,
  toNs: 60n,
};
interface Rows {
  readonly rows: readonly unknown[];
}
const answer: Rows = { rows: [[1]] };

describe('rules with equal queries', () => {
  it('ask once for a window, also when they differ in white space only', async () => {
    const ask = createSharedAnswers<Rows>();
    let asked = 0;
    const count = async () => {
      asked++;
      return answer;
    };
    const answers = await Promise.all([
      ask(question, count),
      ask({ ...question, query: 'spans |  stats value = count()\n  by service.name' }, count),
      ask(question, count),
    ]);
    expect(asked).toBe(1);
    expect(new Set(answers)).toEqual(new Set([answer]));
    await ask(question, count);
    expect(asked).toBe(1);
  });

  it.each([
    ['another workspace', { scope: { ...question.scope, workspace: 9 } }],
    ['another project', { scope: { ...question.scope, project: 9 } }],
    ['an environment', { scope: { ...question.scope, environment: 'production' } }],
    ['another text', { query: 'spans | stats value=count()' }],
    ['another literal', { query: 'spans | where name == "a" | stats value=count() by service.name' }],
    ['another start', { fromNs: 1n }],
    ['another end', { toNs: 61n }],
  ])('do not share an answer with a question of %s', async (_name, changes) => {
    const ask = createSharedAnswers<Rows>();
    const other: Rows = { rows: [] };
    expect(await ask(question, async () => answer)).toBe(answer);
    expect(await ask({ ...question, ...changes }, async () => other)).toBe(other);
  });

  it('ask again after an answer that failed', async () => {
    const ask = createSharedAnswers<Rows>();
    const fails = () => ask(question, () => Promise.reject(new Error('away')));
    await expect(Promise.all([fails(), fails()])).rejects.toThrow('away');
    expect(await ask(question, async () => answer)).toBe(answer);
  });

  it('forget the oldest answers when they have too many rows', async () => {
    const ask = createSharedAnswers<Rows>();
    const large: Rows = { rows: Array.from({ length: 1_000 }, () => [1]) };
    let asked = 0;
    const count = async () => {
      asked++;
      return large;
    };
    for (let n = 0; n < 60; n++) await ask({ ...question, toNs: BigInt(n) }, count);
    await ask({ ...question, toNs: 59n }, count);
    expect(asked).toBe(60);
    await ask({ ...question, toNs: 0n }, count);
    expect(asked).toBe(61);
  });
});
