import type {
  ExperimentDefinition,
  ExperimentMetric,
  ExperimentPhase,
  ExperimentPoint,
  ExperimentReplay,
  ExperimentResults,
  MetricResult,
} from '@fanion/contract';
import type { ColumnType, Generated } from 'kysely';
import type { Json } from './columns.ts';

/** What counts since the start, whatever is edited later. */
export interface FrozenExperiment {
  readonly seed: string;
  readonly metrics: readonly ExperimentMetric[];
}

/** A replay, and what it is about: another version or salt needs another one. */
export interface StoredReplay {
  readonly version: number;
  readonly salt: number;
  readonly replay: ExperimentReplay;
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
  /** Empty: the weights were never changed. */
  phases: ColumnType<readonly ExperimentPhase[], string | undefined, string>;
  /** Number of the salt; another one divides the units differently. */
  salt: Generated<number>;
  replay: ColumnType<StoredReplay | null, string | null | undefined, string | null>;
  /** First exposures before this time are in `experiment_units`; null: none was kept yet. */
  pinned_to: Date | null;
  /** The change that serves the winner, if it needed approval. */
  winner_change_id: string | null;
  created_by: string | null;
  created_at: Date;
  updated_by: string | null;
  updated_at: Date;
}

/** Without what is true of the experiment only when it is read. */
export type StoredResults = Omit<ExperimentResults, 'experiment' | 'state' | 'frozen'>;

type Names = Pick<MetricResult, 'key' | 'name' | 'kind' | 'direction'>;
/** A kept metric. Earlier versions kept its id and names as an object. */
export type KeptMetric =
  | MetricResult
  | (Pick<MetricResult, 'role' | 'error' | 'variants'> & { readonly metric: Names & { readonly id: string } });

export interface ExperimentResultTable {
  experiment_id: string;
  computed_at: Date;
  /** The results after the experiment stopped; they are not computed again. */
  frozen: boolean;
  results: Json<Omit<StoredResults, 'metrics'> & { readonly metrics: readonly KeptMetric[] }>;
}

/** The numbers of a variant, from the start to the end of a day. */
export type DayPoint = Omit<ExperimentPoint, 'time'>;

export interface ExperimentDayTable {
  experiment_id: string;
  day: ColumnType<string, string, string>;
  computed_at: Date;
  points: Json<readonly DayPoint[]>;
}
