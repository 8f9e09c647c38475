/**
 * PromQL over stored telemetry, for the language of queries and for Prometheus' HTTP API. `evaluator.ts` runs the engine
 * (`packages/promql`), which selects samples from `source.ts`: the store lists the metrics of the window, `name-rules.ts`
 * translates their names, the selector chooses among them, and the store reads the series that its labels match, and their
 * samples (`series-store.ts`, `sample-store.ts`).
 */

export type { AlertPeriod, ReadAlerts } from './alert-series-rules.ts';
export { type Asked, acceptedTexts, type Chosen, choose, filterOf, metricsOf } from './choosing.ts';
export type { SeriesFilter } from './condition-store.ts';
export { listDerivedOf, presentDerived } from './derived.ts';
export {
  createPromqlEvaluator,
  type PromqlBudget,
  type PromqlEvaluator,
  type PromqlQuestion,
  storeOf,
} from './evaluator.ts';
export { numberOf } from './histogram-rules.ts';
export { type Component, type Family, labelName, namesOf, translatedName, unescapeName } from './name-rules.ts';
export { parseQuery, problemOf } from './parse.ts';
export { namesIn, readsAlerts, readsOfRule } from './reads.ts';
export { numberValue, type PromqlRelation, relationOf } from './relation.ts';
export { lackOf, type RuleSeries, ruleProblem, ruleSeries } from './rule-series.ts';
export { type ExemplarRow, listExemplars } from './sample-store.ts';
export { describe, groupsOf } from './selecting.ts';
export { familyKey } from './selection-rules.ts';
export { keyOf, labelsOf, namedLabels } from './series-rules.ts';
export { countSeries, listBounds, listDescriptions, listKeys, listLabelValues } from './series-store.ts';
export { createSource } from './source.ts';
export type { SampleWindow } from './time-rules.ts';
export { defaultLookbackMs, storableMs } from './time-rules.ts';
