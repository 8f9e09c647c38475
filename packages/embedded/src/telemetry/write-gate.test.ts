import { expect, test } from 'vitest';
import { isWrite, openWriteGate } from './write-gate.ts';

function pending() {
  let end = () => {};
  const promise = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { promise, end };
}

test('a hold waits for the writes that run, and holds back new ones until it is released', async () => {
  const gate = openWriteGate();
  const order: string[] = [];
  const first = pending();
  const running = gate.run(() => first.promise.then(() => void order.push('running write ends')));
  const held = gate.hold(60_000).then(() => void order.push('held'));
  const later = gate.run(async () => void order.push('new write'));
  first.end();
  await running;
  await held;
  gate.release();
  await later;
  expect(order).toEqual(['running write ends', 'held', 'new write']);
});

test('a write that fails ends like any other', async () => {
  const gate = openWriteGate();
  await expect(gate.run(() => Promise.reject(new Error('bad rows')))).rejects.toThrow('bad rows');
  await gate.hold(60_000);
  gate.release();
});

test('the time limit lets writes through although a running one does not end', async () => {
  const gate = openWriteGate();
  const endless = pending();
  void gate.run(() => endless.promise);
  await expect(gate.hold(20)).rejects.toThrow('did not end within 0.02 s');
  expect(await gate.run(async () => 'written')).toBe('written');
});

test('a release after the time limit fails, since writes may have run', async () => {
  const gate = openWriteGate();
  await gate.hold(10);
  await gate.run(async () => {});
  expect(() => gate.release()).toThrow('held longer than it may be');
});

test('a held write whose client leaves ends with its reason', async () => {
  const gate = openWriteGate();
  await gate.hold(60_000);
  const gone = new AbortController();
  const waiting = gate.run(async () => 'written', gone.signal);
  gone.abort(new Error('the client has gone'));
  await expect(waiting).rejects.toThrow('the client has gone');
  gate.release();
});

test('only one hold at a time', async () => {
  const gate = openWriteGate();
  await gate.hold(60_000);
  await expect(gate.hold(60_000)).rejects.toThrow('held back already');
  gate.release();
});

test.each([
  ['INSERT INTO a SELECT 1', true],
  ['ALTER TABLE a DELETE WHERE 1', true],
  ['  drop table a', true],
  ['WITH 1 AS x SELECT x', false],
  ['OPTIMIZE TABLE a FINAL', false],
  ['kill query where 1', false],
])('%s: a write is %s', (sql, expected) => {
  expect(isWrite(sql)).toBe(expected);
});
