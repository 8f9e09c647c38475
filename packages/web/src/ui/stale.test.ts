import { ApiError } from '@fanion/contract';
import { expect, it } from 'vitest';
import { fieldChanges, StaleError, saveOver } from './stale.ts';

const stale = (details: { path: string; message: string; [more: string]: unknown }[]) =>
  new ApiError({ code: 'SVC-4003', status: 409, message: 'stale version 1: version 2 is current', details });

it('lists the fields that differ, without facts', () => {
  const before = { name: 'A', tags: ['x'], note: '', gone: 1, version: 1, updated_at: 'then', same: { a: 1 } };
  const after = { name: 'B', tags: ['x', 'y'], note: null, version: 2, updated_at: 'now', same: { a: 1 }, added: true };
  expect(fieldChanges(before, after)).toEqual([
    { field: 'name', before: 'A', after: 'B' },
    { field: 'tags', before: '["x"]', after: '["x","y"]' },
    { field: 'gone', before: '1', after: null },
    { field: 'added', before: null, after: 'true' },
  ]);
});

it('shortens long values, and compares them whole', () => {
  const long = 'a'.repeat(500);
  const [change] = fieldChanges({ query: `${long}b` }, { query: `${long}c` });
  expect(change?.before).toHaveLength(201);
});

it('reports what somebody else changed since the document was read', async () => {
  const error = stale([
    { path: 'version', message: 'the current version is 2', current: 2, state: { name: 'Theirs' } },
  ]);
  const saved = saveOver({ name: 'Read' }, Promise.reject(error));
  await expect(saved).rejects.toBeInstanceOf(StaleError);
  await expect(saved).rejects.toMatchObject({
    status: 409,
    changes: [{ field: 'name', before: 'Read', after: 'Theirs' }],
  });
});

it('passes every other error and every answer through', async () => {
  const taken = new ApiError({ code: 'SVC-6003', status: 409, message: 'taken' });
  await expect(saveOver({}, Promise.reject(taken))).rejects.toBe(taken);
  const blind = stale([{ path: 'version', message: 'the current version is 2', current: 2 }]);
  await expect(saveOver({}, Promise.reject(blind))).rejects.toBe(blind);
  await expect(saveOver({}, Promise.resolve(7))).resolves.toBe(7);
});
