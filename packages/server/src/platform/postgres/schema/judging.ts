import type { MetricDefinition } from '@fanion/contract';
import type { ColumnType, Generated } from 'kysely';
import type { Json } from './columns.ts';

export interface FlagMetricTable {
  id: string;
  project_id: string;
  key: string;
  name: string;
  definition: Json<MetricDefinition>;
  version: Generated<number>;
  created_by: string | null;
  created_at: Date;
  updated_by: string | null;
  updated_at: Date;
}

/** What serves the fallthrough of a flag in an environment in place of its targeting: at most one holder. */
export interface FlagHoldTable {
  flag_id: string;
  environment_id: string;
  kind: 'guarded_release' | 'experiment';
  /** Id of the guarded release or experiment. */
  holder_id: string;
  /** The rollout that is served, in the form of the engine. */
  rollout: Json<unknown>;
  /** Clauses of the engine: who gets the rollout. */
  clauses: Json<unknown>;
  held_at: Date;
}

export interface GuardedReleaseTable {
  flag_id: string;
  environment_id: string;
  id: string;
  definition: Json<GuardedDefinition>;
  /** What counts since it was armed: the control and the definitions of its metrics. */
  frozen: ColumnType<FrozenGuards | null, string | null, string | null>;
  state: 'draft' | 'armed' | 'monitoring' | 'completed' | 'rolled_back' | 'disarmed';
  version: Generated<number>;
  /** +1 each time it is armed. */
  run: Generated<number>;
  step: Generated<number>;
  step_started_at: Date | null;
  looks: Generated<number>;
  last_look: ColumnType<unknown, string | null | undefined, string | null>;
  looked_at: Date | null;
  /** Set while its step could end but for a guard that is not sure. */
  unsure_since: Date | null;
  /** When its channels were asked to decide, after the step was held for its longest time. */
  asked_at: Date | null;
  /** What held its step so far, beside guards that are not sure: its channels were told of each once. */
  told_holds: Generated<string[]>;
  /** Since when everybody gets the variant, and its guards go on. */
  watched_since: Date | null;
  /** Set while it holds until a person continues it. */
  paused_reason: string | null;
  armed_at: Date | null;
  armed_by: string | null;
  ended_at: Date | null;
  ended_reason: string | null;
  created_by: string | null;
  created_at: Date;
  updated_at: Date;
}

export interface GuardedDefinition {
  readonly variant: string;
  readonly steps: readonly { readonly weight: number; readonly hold: string; readonly min_units: number }[];
  readonly guards: readonly {
    readonly metric: string;
    /** Null: that of the metric. */
    readonly direction: 'up_is_good' | 'down_is_good' | null;
    readonly tolerance: number;
    /** Absent in plans of before: `absolute`. */
    readonly scale?: 'absolute' | 'relative';
    readonly min_units: number;
    readonly on_regression: 'rollback' | 'pause';
  }[];
  readonly bucket_by: string | null;
  readonly when_unsure: 'hold' | 'advance' | 'rollback';
  /** Of a step, after its hold. */
  readonly hold_at_most: string;
  /** How long the guards go on after everybody gets the variant. */
  readonly watch: string;
  readonly alpha: number;
  readonly channels: readonly string[];
}

export interface FrozenGuards {
  readonly control: string;
  /** In the order of the guards. */
  readonly metrics: readonly { readonly key: string; readonly name: string; readonly definition: MetricDefinition }[];
  /** Guards, by their index, whose regression a person has accepted by continuing. */
  readonly accepted?: readonly number[];
  /** The step from which a person has continued although guards were not sure. */
  readonly passed?: number;
  /** The sums of the control over all steps, in the order of the guards: what everybody is compared with afterwards. Null: not measured. */
  readonly baseline?: readonly (BaselineSums | null)[];
}

type SummedName = 'n' | 'x' | 'xx' | 'y' | 'yy' | 'xy' | 'p' | 'pp' | 'px' | 'py' | 'q' | 'qq' | 'qx' | 'qy' | 'pq';

/** The sums of a metric over the units of a control. */
export interface BaselineSums extends Readonly<Record<SummedName | 'active' | 'events' | 'rows' | 'skipped', number>> {
  readonly variant: string;
  readonly slice: string;
  readonly quantile: Readonly<Record<'value' | 'lower' | 'upper' | 'delta', number>> | null;
}

export interface GuardedReleaseEventTable {
  id: string;
  release_id: string;
  at: Date;
  run: number;
  look: number;
  kind: string;
  step: number;
  /** Of 100000. */
  weight: number;
  reason: string;
  numbers: ColumnType<unknown, string | null, string | null>;
  /** Of a rollback: what failing rows have in common. */
  contrast: ColumnType<unknown, string | null | undefined, string | null>;
}
