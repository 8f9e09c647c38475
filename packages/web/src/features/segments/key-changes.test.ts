import { expect, it } from 'vitest';
import { addKeys, NO_CHANGES, readKeys, toggleKey } from './key-changes.ts';

it('reads keys by line and by comma', () => {
  expect(readKeys(' ada\n\nbob, carl ,ada')).toEqual(['ada', 'bob', 'carl']);
});

it('a key that is there already is no change, one that was to go stays', () => {
  const had = new Set(['ada', 'bob']);
  const removed = toggleKey(had, NO_CHANGES, 'bob');
  expect([...removed.removed]).toEqual(['bob']);
  const back = addKeys(had, removed, ['ada', 'bob', 'carl']);
  expect([...back.added]).toEqual(['carl']);
  expect([...back.removed]).toEqual([]);
  expect(toggleKey(had, back, 'carl')).toEqual(NO_CHANGES);
});
