export type {
  AttributeType,
  CatalogueField,
  CatalogueMetric,
  FieldCatalogue,
  KnownMetrics,
  MetricRollUps,
} from './check/catalogue.ts';
export type { FieldUse, RollUpUse } from './check/context.ts';
export type { OqlType } from './check/types.ts';
export {
  bindChanges,
  type Compiled,
  type CompileOptions,
  type CompileResult,
  compile,
  type ExplainedStage,
  type Explanation,
  metricsIn,
  type ResultKind,
  validate,
} from './compile.ts';
export {
  type CompiledRelation,
  compileRelation,
  type RelationColumn,
  type RelationOptions,
  type RelationResult,
} from './compile-relation.ts';
export { DIAGNOSTIC_CODES, type DiagnosticCode } from './diagnostics/codes.ts';
export { applySuggestion, type Diagnostic, type Severity, type Suggestion } from './diagnostics/diagnostic.ts';
export { format } from './format.ts';
export { type OqlFunction, signature } from './functions/definition.ts';
export { FUNCTIONS } from './functions/index.ts';
export { FAILED_ASSUMPTION } from './metrics/assumption.ts';
export { type OneScan, oneScan, splitRows, type Variant, variantOf } from './one-scan.ts';
export { withTemplates } from './patterns/over.ts';
export type { ChangeRow } from './print/changes.ts';
export type { BoundParameter, Scope } from './print/print.ts';
export { type ReadSignal, type Reads, readsOf } from './reads.ts';
export {
  attributeTypes,
  decodeAboutText,
  decodeAttributes,
  decodeRow,
  type ResultColumn,
  type ResultValue,
} from './result.ts';
export { FIELDS } from './schema/index.ts';
export { OLD_NAMES } from './schema/old-names.ts';
export { type SplitText, severalVariants, splitByFlag } from './split/by-flag.ts';
export { automaticWidth } from './stages/bucket.ts';
export { STAGES } from './stages/index.ts';
export type * as Tree from './syntax/ast.ts';
export { printString } from './syntax/literals.ts';
export { parse } from './syntax/parse.ts';
export { printQuery } from './syntax/print.ts';
export { nearest } from './text/distance.ts';
export type { Span } from './text/position.ts';
export {
  type BoundText,
  type BoundVariable,
  bindVariables,
  type VariableScalar,
  variablesIn,
} from './variables/bind.ts';
