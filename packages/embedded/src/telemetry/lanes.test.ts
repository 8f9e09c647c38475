import { expect, test } from 'vitest';
import { openLane } from './lanes.ts';

/** An action that runs until it is released. */
function lasting<Value>(value: Value) {
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const state = { started: false };
  const action = async () => {
    state.started = true;
    await finished;
    return value;
  };
  return { action, state, finish: () => finish() };
}

test('runs at most its width at once, and the rest in order', async () => {
  const lane = openLane(2, 10);
  const tasks = [1, 2, 3, 4].map(lasting);
  const results = tasks.map((task) => lane.run(task.action));
  await Promise.resolve();
  expect(tasks.map(({ state }) => state.started)).toEqual([true, true, false, false]);
  tasks[1]?.finish();
  expect(await results[1]).toBe(2);
  expect(tasks.map(({ state }) => state.started)).toEqual([true, true, true, false]);
  for (const task of tasks) task.finish();
  expect(await Promise.all(results)).toEqual([1, 2, 3, 4]);
});

test('does not run an action that is aborted while waiting, and passes its slot on', async () => {
  const lane = openLane(1, 10);
  const [first, second, third] = [lasting('first'), lasting('second'), lasting('third')];
  const abort = new AbortController();
  const results = [lane.run(first.action), lane.run(second.action, abort.signal), lane.run(third.action)];
  abort.abort(new Error('the client has gone'));
  await expect(results[1]).rejects.toThrow('the client has gone');
  first.finish();
  third.finish();
  expect([await results[0], await results[2]]).toEqual(['first', 'third']);
  expect(second.state.started).toBe(false);
});

test('rejects with an error code when the queue is too long', async () => {
  const lane = openLane(1, 1);
  const first = lasting('first');
  const results = [lane.run(first.action), lane.run(async () => 'second')];
  await expect(lane.run(async () => 'third')).rejects.toMatchObject({ code: 202 });
  first.finish();
  expect(await Promise.all(results)).toEqual(['first', 'second']);
});

test('frees the slot after a failure', async () => {
  const lane = openLane(1, 1);
  await expect(lane.run(() => Promise.reject(new Error('on purpose')))).rejects.toThrow('on purpose');
  expect(await lane.run(async () => 'next')).toBe('next');
});
