import { expect, it } from 'vitest';
import { fail } from '../platform/fail.ts';
import { createLiveUses } from './live-uses.ts';

it('ends the reads that a change no longer allows', async () => {
  const uses = createLiveUses();
  const ended: string[] = [];
  const add = (name: string, userId: string, workspaceId: string | undefined, recheck: () => Promise<void>) =>
    uses.add({ userId, workspaceId, recheck, end: () => ended.push(name) });
  const refused = async () => {
    throw fail('PERMISSION_DENIED', { permission: 'telemetry:query' });
  };
  const away = async () => {
    throw fail('STORE_UNAVAILABLE', { store: 'control plane' });
  };
  add('of another workspace', 'ada', 'other', refused);
  add('of another person', 'bob', 'acme', refused);
  add('still allowed', 'ada', 'acme', async () => {});
  add('while the store is away', 'ada', 'acme', away);
  add('refused', 'ada', 'acme', refused);
  add('of no workspace', 'ada', undefined, refused);
  const done = add('over already', 'ada', 'acme', refused);
  done();
  await uses.recheck({ userId: 'ada', workspaceId: 'acme' });
  expect(ended).toEqual(['refused', 'of no workspace']);
  expect(uses.count()).toBe(6);
});
