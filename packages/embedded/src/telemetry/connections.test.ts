import { expect, test } from 'vitest';
import { createConnectionPool } from './connections.ts';
import type { Connection } from './native.ts';

function pool(mostIdle: number) {
  const open = new Set<Connection>();
  const connections = createConnectionPool(
    {
      CreateConnection() {
        const connection = Object.freeze({}) as Connection;
        open.add(connection);
        return connection;
      },
      CloseConnection: (connection) => void open.delete(connection),
    },
    'dir',
    mostIdle,
  );
  return { ...connections, open: () => open.size };
}

test('a connection is reused for its own database only', () => {
  const { take, give, open } = pool(4);
  const first = take('a');
  expect(take('a')).not.toBe(first);
  give(first);
  expect(take('b')).not.toBe(first);
  expect(take('a')).toBe(first);
  expect(open()).toBe(3);
});

test('idle connections are bounded, and the one that was used first is closed', () => {
  const { take, give, open } = pool(2);
  const taken = ['a', 'b', 'c'].map((database) => take(database));
  for (const one of taken) give(one);
  expect(open()).toBe(2);
  expect(take('a')).not.toBe(taken[0]);
  expect(take('c')).toBe(taken[2]);
});

test('a connection that holds many parameters is closed', () => {
  const { take, give } = pool(2);
  const first = take('a');
  first.parameterBytes = 2 << 20;
  give(first);
  expect(take('a')).not.toBe(first);
});

test('after a clear, no connection from before it is used again', () => {
  const { take, give, clear, open } = pool(2);
  const [busy, idle] = [take('a'), take('a')];
  give(idle);
  clear();
  expect(open()).toBe(1);
  give(busy);
  expect(open()).toBe(0);
  expect(take('a')).not.toBe(busy);
});
