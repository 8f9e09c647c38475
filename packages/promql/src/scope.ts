import type { Annotations } from './annotations.ts';
import type { VectorSelector } from './ast.ts';
import type { LabelSets } from './label-sets.ts';
import type { Series } from './select.ts';
import type { QueryTimes } from './windows.ts';
import type { Work } from './work.ts';

/** What all parts of one evaluation share. */
export interface Scope {
  readonly times: QueryTimes;
  readonly isInstant: boolean;
  readonly isInSubquery?: true;
  readonly sets: LabelSets;
  readonly notes: Annotations;
  readonly work: Work;
  readonly samples: ReadonlyMap<VectorSelector, readonly Series[]>;
}
