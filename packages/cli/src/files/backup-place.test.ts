import { expect, it } from 'vitest';
import { meanwhileText } from './backup-place.ts';

it.each([
  [
    '2026-11-28T15:06:00.000Z',
    'stored between 2026-11-28T15:04:00.000Z and 2026-11-28T15:06:00.000Z a part may be in it',
  ],
  [null, 'stored after 2026-11-28T15:04:00.000Z, while it was taken, a part may be in it'],
])('says what is not of one moment in a backup of rows until %s', (to, text) => {
  expect(meanwhileText({ from: '2026-11-28T15:04:00.000Z', to })).toContain(text);
});
