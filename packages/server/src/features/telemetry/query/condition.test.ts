import { afterAll, describe, expect, it } from 'vitest';
import { Failure } from '../../../platform/fail.ts';
import { createCompiler } from '../../../platform/gateway/index.ts';
import { checkedCondition } from './condition.ts';

const compiler = createCompiler({ budgetMs: 10_000 });
afterAll(() => compiler.stop());

async function told(text: string) {
  try {
    const { signal } = new AbortController();
    return await checkedCondition('logs', text, 'where', { compiler, workspace: 1, signal });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return error.details;
  }
}

describe('a condition in a request', () => {
  it('is put in parentheses that a comment cannot remove', async () => {
    expect(await told('severity >= error // only these')).toBe('(severity >= error // only these\n)');
  });
  it('that ends too early gets an error at its end', async () => {
    expect(await told('severity >=')).toMatchObject([
      { path: 'where', message: 'The condition ends too early.', span: { start: 11, end: 11, line: 1, column: 12 } },
    ]);
  });
  it('gets errors with positions in its own text, also over several lines', async () => {
    expect(await told('severity >= error\nand bdy( "x")')).toMatchObject([
      { span: { start: 22, line: 2, column: 5 }, message: expect.stringContaining('bdy') },
    ]);
  });
  it('cannot contain further stages', async () => {
    expect(await told('true) | stats n=count() by (severity')).toMatchObject([{ path: 'where', severity: 'error' }]);
  });
});
