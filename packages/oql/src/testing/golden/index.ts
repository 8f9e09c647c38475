import type { Golden } from './expected.ts';
import { FLAGS } from './flags.ts';
import { FORMS } from './forms.ts';
import { GROUPS } from './groups.ts';
import { METRICS } from './metrics.ts';
import { QUESTIONS } from './questions.ts';
import { ROWS } from './rows.ts';
import { STRUCTURE } from './structure.ts';
import { WINDOWS } from './windows.ts';
import { WITHIN } from './within.ts';

export type { Golden } from './expected.ts';

/** Queries with their answers on the fixture, by area; the SQL of each is in a file of `sql/<area>`. */
export const GOLDEN_AREAS: Readonly<Record<string, readonly Golden[]>> = {
  rows: ROWS,
  groups: GROUPS,
  metrics: METRICS,
  structure: STRUCTURE,
  flags: FLAGS,
  windows: WINDOWS,
  within: WITHIN,
  forms: FORMS,
  questions: QUESTIONS,
};

export const GOLDEN: readonly Golden[] = Object.values(GOLDEN_AREAS).flat();
