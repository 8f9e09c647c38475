import type { ExperimentResults, MetricDefinition } from '@fanion/contract';
import type { ColumnType, Generated } from 'kysely';
import type { Json } from './columns.ts';

/** What a person wrote. Metrics are named by id. */
export interface ExperimentDefinition {
  readonly hypothesis: string;
  readonly control: string;
  /** Weights of 100000, of the share of the units that takes part. */
  readonly variants: readonly { readonly variant: string; readonly weight: number }[];
  readonly bucket_by: string | null;
  readonly traffic: { readonly share: number; readonly layer: string | null; readonly start: number };
  readonly metrics: ExperimentMetricRefs;
  readonly analysis: {
    readonly engine: 'frequentist' | 'bayesian';
    readonly alpha: number;
    readonly sequential: boolean;
    readonly cuped: boolean;
    readonly cuped_days: number;
    readonly correction: 'none' | 'holm' | 'benjamini_hochberg';
    readonly minimal_effect: number;
    readonly prior: { readonly mean: number; readonly variance: number } | null;
  };
}

export interface ExperimentMetricRefs {
  readonly goals: readonly string[];
  readonly secondary: readonly string[];
  readonly guardrails: readonly string[];
}

export interface FrozenMetric {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly role: 'goal' | 'secondary' | 'guardrail';
  readonly definition: MetricDefinition;
}

/** What counts since the start, whatever is edited later. */
export interface FrozenExperiment {
  readonly seed: string;
  readonly metrics: readonly FrozenMetric[];
}

export interface ExperimentTable {
  id: string;
  project_id: string;
  environment_id: string;
  /** Its key. */
  environment: string;
  /** Null: the flag was deleted. */
  flag_id: string | null;
  flag: string;
  key: string;
  name: string;
  definition: Json<ExperimentDefinition>;
  frozen: ColumnType<FrozenExperiment | null, string | null | undefined, string | null>;
  state: 'draft' | 'running' | 'stopped' | 'archived';
  version: Generated<number>;
  started_at: Date | null;
  stopped_at: Date | null;
  winner: string | null;
  /** The change that serves the winner, if it needed approval. */
  winner_change_id: string | null;
  created_by: string | null;
  created_at: Date;
  updated_at: Date;
}

/** Without what is true of the experiment only when it is read. */
export type StoredResults = Omit<ExperimentResults, 'experiment' | 'state' | 'frozen'>;

export interface ExperimentResultTable {
  experiment_id: string;
  computed_at: Date;
  /** The results after the experiment stopped; they are not computed again. */
  frozen: boolean;
  results: Json<StoredResults>;
}

/** The numbers of a variant, from the start to the end of a day. */
export interface DayPoint {
  readonly metric: string;
  readonly variant: string;
  readonly n: number;
  readonly mean: number | null;
  readonly difference: number | null;
  readonly interval: readonly [number, number] | null;
}

export interface ExperimentDayTable {
  experiment_id: string;
  day: ColumnType<string, string, string>;
  computed_at: Date;
  points: Json<readonly DayPoint[]>;
}
