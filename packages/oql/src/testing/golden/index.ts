import type { Golden } from './expected.ts';
import { FLAGS } from './flags.ts';
import { GROUPS } from './groups.ts';
import { METRICS } from './metrics.ts';
import { ROWS } from './rows.ts';
import { STRUCTURE } from './structure.ts';

export type { Golden } from './expected.ts';

/** Queries with their answers on the fixture; the SQL of each stands in `golden.sql.txt`. */
export const GOLDEN: readonly Golden[] = [...ROWS, ...GROUPS, ...METRICS, ...STRUCTURE, ...FLAGS];
