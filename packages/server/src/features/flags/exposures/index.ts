export { type FlagUse, findEvaluationsOfTrace, type TraceEvaluation } from './store.ts';
export { createFlagUse, type ReadFlagUse } from './use.ts';
export { createExposures, type Exposures } from './writer.ts';
