import { type CompileOptions, compile, validate } from '@fanion/oql';

import { afterAll, describe, expect, it } from 'vitest';
import { createCompiler, inlineCharacters, shortCharacters } from './compiler.ts';

const options: CompileOptions = {
  scope: { workspace: 1 },
  window: { fromNs: 0n, toNs: 3_600_000_000_000n },
  limit: 100,
  nowNs: 3_600_000_000_000n,
};
const asked = { workspace: 1, signal: new AbortController().signal };
const many = (count: number, text: (i: number) => string, separator: string) =>
  Array.from({ length: count }, (_, i) => text(i)).join(separator);

describe('the compiler of the gateway', () => {
  const compiler = createCompiler({ budgetMs: 60_000 });
  afterAll(() => compiler.stop());

  const long = `spans | where ${many(60, (i) => `a${i} == ${i}`, ' and ')} | stats n=count() by service.name`;
  const wrong = `spans | where ${many(60, (i) => `a${i} == ${i}`, ' and ')} and`;

  it('returns the same result in a thread as the package', async () => {
    expect(long.length).toBeGreaterThan(inlineCharacters);
    const before = compiler.stats().inThread;
    expect(await compiler.compile(long, options, asked)).toEqual(compile(long, options));
    expect(await compiler.compile(wrong, options, asked)).toEqual(compile(wrong, options));
    expect(await compiler.validate(wrong, {}, asked)).toMatchObject(validate(wrong));
    expect(compiler.stats().inThread).toBe(before + 3);
  });

  it('compiles short texts at once', async () => {
    const before = compiler.stats().inThread;
    expect(await compiler.compile('logs | count', options, asked)).toEqual(compile('logs | count', options));
    expect(compiler.stats().inThread).toBe(before);
  });

  it('reads the variables of a long query in a thread', async () => {
    const before = compiler.stats().inThread;
    expect(await compiler.variablesIn(`${long} | where name == $a and kind == $b`, asked)).toEqual(['a', 'b']);
    expect(compiler.stats().inThread).toBe(before + 1);
  });

  it('compiles the first text of a panel in a thread too, so that it never blocks evaluations', async () => {
    const fresh = createCompiler({ budgetMs: 60_000 });
    const panel = `spans | stats ${many(30, (i) => `c${i}=p99(a${i})`, ',')}`;
    expect(panel.length).toBeGreaterThan(inlineCharacters);
    expect(panel.length).toBeLessThan(shortCharacters);
    expect(await fresh.compile(panel, options, asked)).toEqual(compile(panel, options));
    expect(fresh.stats().inThread).toBe(1);
    await fresh.stop();
  });

  it('compiles a text of a panel in a thread that no long text occupies', async () => {
    const panel = `spans | where ${many(12, (i) => `a${i} == ${i}`, ' and ')} | stats n=count() by service.name`;
    expect(panel.length).toBeGreaterThan(inlineCharacters);
    expect(panel.length).toBeLessThan(shortCharacters);
    const order: string[] = [];
    // Both threads have loaded their code.
    await Promise.all([compiler.compile(panel, options, asked), compiler.compile(long, options, asked)]);
    const longest = compiler
      .compile(`logs | extend ${many(480, (i) => `c${i}=body.${'y'.repeat(90)}_${i}`, ', ')}`, options, asked)
      .then(() => order.push('long'));
    expect(await compiler.compile(panel, options, asked)).toEqual(compile(panel, options));
    order.push('panel');
    await longest;
    expect(order).toEqual(['panel', 'long']);
    // A page of panels is not told to come back.
    await Promise.all(Array.from({ length: 40 }, () => compiler.compile(panel, options, asked)));
  });

  it('lets other work run while it compiles', async () => {
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await compiler.compile(`logs | extend ${many(480, (i) => `c${i}=attribute_${i}`, ', ')}`, options, asked);
    isDone = true;
    expect(turns).toBeGreaterThan(50);
  });

  it('ends a compilation at its budget and continues with the next', async () => {
    const hasty = createCompiler({ budgetMs: 1 });
    await expect(hasty.compile(long, options, asked)).rejects.toMatchObject({
      error: 'QUERY_TOO_EXPENSIVE',
      message: expect.stringContaining('longer than 1 ms'),
    });
    expect(hasty.stats()).toEqual({ inThread: 1, stopped: 1, waiting: 0 });
    await expect(hasty.compile(long, options, asked)).rejects.toMatchObject({ error: 'QUERY_TOO_EXPENSIVE' });
    await hasty.stop();
  });

  it('rejects a text whose thread still loads when the server stops', async () => {
    const stopping = createCompiler({ budgetMs: 60_000 });
    const first = expect(stopping.compile(long, options, asked)).rejects.toMatchObject({ error: 'SHUTTING_DOWN' });
    await Promise.resolve();
    await stopping.stop();
    await first;
  });

  it('serves workspaces in turns, and rejects one that sends too many texts with a retry delay', async () => {
    const flood = Array.from({ length: 12 }, () => compiler.compile(long, options, asked));
    const answered = Promise.allSettled(flood);
    const order: string[] = [];
    void flood[8]?.catch(() => {});
    void flood[7]?.then(() => order.push('the last of the flood'));
    await compiler.compile(long, options, { ...asked, workspace: 2 }).then(() => order.push('another'));
    const settled = await answered;
    expect(order).toEqual(['another', 'the last of the flood']);
    const rejected = settled.filter((one) => one.status === 'rejected');
    // One runs and eight wait.
    expect(rejected).toHaveLength(3);
    expect(rejected[0]?.reason).toMatchObject({ error: 'QUERY_QUEUE_FULL', retryAfterSeconds: 2 });
  });

  it('drops a text whose client has disconnected', async () => {
    const client = new AbortController();
    const first = compiler.compile(long, options, asked);
    const waiting = compiler.compile(long, options, { workspace: 1, signal: client.signal });
    const rejected = expect(waiting).rejects.toBe('left');
    client.abort('left');
    await rejected;
    expect((await first).ok).toBe(true);
  });
});
