import type { AlertDefinition } from '@fanion/contract';
import type { Variant } from '@fanion/oql';
import type { Completeness } from '../../../platform/gateway/index.ts';
import type { TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import type { Sample } from './step-rules.ts';

/** A rule as it is evaluated. */
export interface EvaluatedRule {
  readonly name: string;
  readonly scope: TelemetryScope;
  /** Whose alerts the metric `ALERTS` has. */
  readonly place: { readonly workspace: { readonly id: string }; readonly project: { readonly id: string } };
  readonly query: string;
  readonly definition: AlertDefinition;
  /** The query in the form in which one scan can answer several at once. */
  readonly variant?: Variant | undefined;
  /** Variants of further rules that ask for the same windows. */
  readonly together?: () => readonly Variant[];
}

export interface Cost {
  readonly queries: number;
  readonly rowsRead: number;
  readonly bytesRead: number;
}

export interface Evaluated {
  readonly samples: readonly Sample[];
  readonly cost: Cost;
  /** What the answers may lack, except those that rules share. */
  readonly completeness: readonly Completeness[];
}
