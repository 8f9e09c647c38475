import { beforeEach, expect, test } from 'vitest';
import { until } from '../testing/temporary.ts';
import { type Turns, takingTurns } from './turns.ts';

interface Named {
  name: string;
}
const a: Named = { name: 'a' };
const b: Named = { name: 'b' };

let busy = false;
let done: string[];
let turns: Turns<Named>;

beforeEach(() => {
  busy = false;
  done = [];
  turns = takingTurns<Named>(
    () => busy,
    () => 0,
  );
});

/** A turn after which the backend is busy or not. */
function turn(client: Named, what: string, busyAfter = false): Promise<void> {
  return turns.take(client, async () => {
    done.push(`${client.name} ${what}`);
    busy = busyAfter;
  });
}

test('serves clients in order of arrival', async () => {
  await Promise.all([turn(a, '1'), turn(b, '1'), turn(a, '2')]);
  expect(done).toEqual(['a 1', 'b 1', 'a 2']);
});

test('a client in a transaction keeps the backend until its end', async () => {
  const all = [turn(a, 'BEGIN', true), turn(b, '1'), turns.alone(async () => void done.push('alone'))];
  await all[0];
  expect(await until(() => turns.blocker())).toEqual({ client: a, since: 0 });
  await turn(a, 'UPDATE', true);
  expect(done).toEqual(['a BEGIN', 'a UPDATE']);
  await turn(a, 'COMMIT');
  await Promise.all(all);
  expect(done).toEqual(['a BEGIN', 'a UPDATE', 'a COMMIT', 'b 1', 'alone']);
  expect(turns.blocker()).toBeUndefined();
});

test('rolls back a client that leaves in a transaction, and drops its waiting turns', async () => {
  await turn(a, 'BEGIN', true);
  const waiting = turn(b, '1');
  await turns.leave(a, async () => {
    done.push('rollback');
    busy = false;
  });
  await waiting;
  expect(done).toEqual(['a BEGIN', 'rollback', 'b 1']);
});

test('drops the turn of a client that leaves while waiting, without effect on the holder', async () => {
  await turn(a, 'BEGIN', true);
  const waiting = turn(b, '1');
  const left = turns.leave(b, async () => void done.push('b cleaned up'));
  await expect(waiting).rejects.toThrow('the client has gone');
  await turn(a, 'COMMIT');
  await left;
  expect(done).toEqual(['a BEGIN', 'a COMMIT', 'b cleaned up']);
});

test('a failed turn does not block the next', async () => {
  const failing = turns.take(a, () => Promise.reject(new Error('on purpose')));
  await expect(failing).rejects.toThrow('on purpose');
  await turn(b, '1');
  expect(done).toEqual(['b 1']);
});
