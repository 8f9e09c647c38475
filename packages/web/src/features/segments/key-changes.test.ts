import { expect, it } from 'vitest';
import { addKeys, NO_CHANGES, readKeys, toggleKey } from './key-changes.ts';

it('reads keys separated by lines or commas', () => {
  expect(readKeys(' ada\n\nbob, carl ,ada')).toEqual(['ada', 'bob', 'carl']);
});

it('ignores an existing key, and keeps a key that was marked for removal', () => {
  const had = new Set(['ada', 'bob']);
  const removed = toggleKey(had, NO_CHANGES, 'bob');
  expect([...removed.removed]).toEqual(['bob']);
  const back = addKeys(had, removed, ['ada', 'bob', 'carl']);
  expect([...back.added]).toEqual(['carl']);
  expect([...back.removed]).toEqual([]);
  expect(toggleKey(had, back, 'carl')).toEqual(NO_CHANGES);
});
