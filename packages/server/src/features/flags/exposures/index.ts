/**
 * Exposures: `writer.ts` counts answers in memory and appends the counts to the write-ahead log ten times a second.
 * Clients report evaluations over OTLP. Ingest makes rows of both (`packages/telemetry/src/transcode/flag-events.ts`),
 * and OQL counts an evaluation that both reported once (`packages/oql/src/schema/flags.ts`).
 */

import type { Feature } from '../../feature.ts';
import { exposureTables } from './tenant-tables-store.ts';

export { Recent } from './recent.ts';
export { type Answered, type Countable, unitOfAnswer } from './rules.ts';
export { type FlagUse, findEvaluationsOfTrace, type TraceEvaluation } from './store.ts';
export { ofHeldUnit } from './tenant-tables-store.ts';
export { createFlagUse, type ReadFlagUse } from './use.ts';
export { variantWith } from './variant-rules.ts';
export { type EvaluationsEntry, type ExposureStats, Exposures, exposuresAtOnce, OutcomeUnknown } from './writer.ts';

/** Counts the answers of flags. */
export const exposuresFeature = { name: 'flags/exposures', tenantTables: exposureTables } satisfies Feature;
