import { expect, it } from 'vitest';
import { lengthOfLastChange, type PastChange } from './previous-rules.ts';

const by =
  (actor_type: string) =>
  (kind: string): PastChange => ({ kind, actor_type, restorable: true });
const [user, system] = [by('user'), by('system')];

it.each<[string, readonly PastChange[], boolean, number]>([
  ['an edit is one change', [user('targeting'), user('targeting')], false, 1],
  ['nothing is no change', [], false, 0],
  [
    'a completed ramp begins with its start',
    [system('ramp'), system('ramp'), user('ramp'), user('targeting')],
    false,
    3,
  ],
  ['an aborted ramp begins with its start', [user('ramp'), system('ramp'), user('ramp'), user('targeting')], false, 3],
  ['a ramp that has just started is one change', [user('ramp'), user('ramp'), user('targeting')], true, 1],
  ['a running ramp begins with its start', [system('ramp'), user('ramp'), user('ramp')], true, 2],
  ['an edit beside a running ramp does not end its run', [system('ramp'), user('targeting'), user('ramp')], true, 3],
])('%s', (_, changes, isRampActive, length) => {
  expect(lengthOfLastChange(changes, isRampActive)).toBe(length);
});
