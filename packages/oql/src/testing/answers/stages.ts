import type { Golden } from '../golden/expected.ts';
import { GROUP_ANSWERS } from './groups.ts';
import { JOIN_ANSWERS } from './joins.ts';
import { METRIC_ANSWERS } from './metrics.ts';
import { PROFILE_ANSWERS } from './profiles.ts';
import { ROW_ANSWERS } from './rows.ts';
import { STRUCTURE_ANSWERS } from './structure.ts';
import { TEXT_ANSWERS } from './texts.ts';
import { WINDOW_ANSWERS } from './windows.ts';

/** Aggregates, and stages that the golden queries lack or have in one form only. */
export const STAGE_ANSWERS: readonly Golden[] = [
  // Without a row there is no group that could have gaps.
  { query: 'spans | where name == "nobody" | stats n=count() by attr.shop, bucket(30s) | fill 0', rows: [] },
  { query: 'spans | where name == "nobody" | concurrency 30s by service.name | fill 0', rows: [] },
  ...METRIC_ANSWERS,
  ...GROUP_ANSWERS,
  ...ROW_ANSWERS,
  ...JOIN_ANSWERS,
  ...STRUCTURE_ANSWERS,
  ...TEXT_ANSWERS,
  ...WINDOW_ANSWERS,
  ...PROFILE_ANSWERS,
];
