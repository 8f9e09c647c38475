import type { Feature } from '../../feature.ts';
import { exposureTables } from './tenant-tables-store.ts';

export { type FlagUse, findEvaluationsOfTrace, type TraceEvaluation } from './store.ts';
export { createFlagUse, type ReadFlagUse } from './use.ts';
export {
  createExposures,
  type EvaluationsEntry,
  type ExposureStats,
  type Exposures,
  OutcomeUnknown,
} from './writer.ts';

/** Counts the answers of flags. */
export const exposuresFeature = { name: 'flags/exposures', tenantTables: exposureTables } satisfies Feature;
