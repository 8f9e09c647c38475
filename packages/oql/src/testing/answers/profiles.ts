import { type Golden, minute } from '../golden/expected.ts';

/** Profiles. */
export const PROFILE_ANSWERS: readonly Golden[] = [
  {
    query: 'profiles cpu | stats s=sum(value), n=count() by depth',
    rows: [
      [3, 600_000_000, 60],
      [4, 1_800_000_000, 60],
    ],
  },
  {
    query: 'profiles cpu | stats s=sum(value) by bucket(30m), root',
    rows: [0, 30].map((n) => [minute(n), 'main', 1_200_000_000]),
  },
  {
    query:
      'profiles cpu | where trace_id exists | join spans on trace_id as s | where s.root | stats n=count(), d=max(s.duration)',
    rows: [[60, 60_000_000]],
  },
];
