import type { Budget } from '../../../platform/gateway/index.ts';
import type { TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import type { Window } from '../../../platform/time-window.ts';
import type { ConditionSource } from '../query/index.ts';

/** What "why" is asked about: rows, some of which are selected. */
export interface WhyQuestion {
  readonly scope: TelemetryScope;
  /** Where flags are looked up. */
  readonly place: FlagPlace;
  readonly source: ConditionSource;
  /** OQL of all rows, selected and others: a source and conditions. */
  readonly rows: string;
  /** A condition in OQL, or traces. */
  readonly selected: string | SelectedTraces;
  readonly window: Window;
}

/** Traces that no condition selects: those with an error. */
export interface SelectedTraces {
  /** SQL of trace ids as text, and its parameters. */
  readonly traces: string;
  readonly values: Readonly<Record<string, string>>;
  /** Fields that describe the error. */
  readonly fields: readonly string[];
  /** The id of the error, which is no sign of itself. */
  readonly error: string;
}

export interface FlagPlace {
  readonly workspaceId: string;
  /** Undefined: all projects of the workspace. */
  readonly project: { readonly id: string; readonly key: string } | undefined;
  /** Projects whose flags the caller may read; undefined: all. */
  readonly readable: readonly string[] | undefined;
  readonly environment: string | undefined;
}

/** What serves a flag in place of its targeting, or moves it. */
export interface RunningRow {
  readonly kind: 'experiment' | 'guarded_release' | 'ramp';
  readonly id: string;
  readonly name: string;
  readonly flag: string;
  readonly project: string;
  readonly environment: string;
}

export type WhyBudget = Pick<Budget, 'lane' | 'signal' | 'limits'>;
