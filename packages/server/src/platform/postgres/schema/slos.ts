import type { QueryLanguage, SloIndicator, SloWindow } from '@fanion/contract';
import type { ColumnType, Generated } from 'kysely';
import type { Json } from './columns.ts';

/** What an SLO says, without its name and place. */
export interface SloDefinition {
  readonly description: string;
  readonly indicator: SloIndicator;
  readonly objective: number;
  readonly window: SloWindow;
  readonly burn_alerts: boolean;
  readonly min_events: number;
}

/** What a recording rule writes, and when. */
export interface RecordingDefinition {
  readonly query: string;
  /** Absent in rules from before there was a choice: OQL. */
  readonly query_language?: QueryLanguage;
  readonly every: string;
  /** Null: automatic. */
  readonly offset: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly unit: string;
}

interface PlacedTable<Definition> {
  id: string;
  workspace_id: string;
  project_id: string;
  environment: string | null;
  name: string;
  definition: Json<Definition>;
  version: Generated<number>;
  /** Counts changes of what is counted or written. */
  revision: Generated<number>;
  created_by: string | null;
  created_at: Date;
  updated_by: string | null;
  updated_at: Date;
}

export interface SloTable extends PlacedTable<SloDefinition> {
  /** Up to when its events are counted. */
  derived_to: Date;
  last_error: string | null;
  backfill_from: Date;
  backfill_to: Date;
  /** Goes from `backfill_to` back to `backfill_from`. */
  backfill_at: Date;
  backfill_error: string | null;
}

/** 64-bit numbers come as text. */
export interface RecordingRuleTable extends PlacedTable<RecordingDefinition> {
  every_ms: ColumnType<string, number, number>;
  /** Of an automatic offset, what was learnt last. */
  offset_ms: ColumnType<string, number, number>;
  rule_group: string;
  position: number;
  enabled: boolean;
  /** Up to when the metric is written. */
  watermark: Date;
  /** The end of a range that is being written, so that a repetition writes the same one. */
  pending_to: Date | null;
  missed: ColumnType<string, number | undefined, number>;
  last_error: string | null;
  /** After an error: when to try again. */
  retry_at: Date | null;
  backfill_from: Date | null;
  backfill_to: Date | null;
  /** Goes from `backfill_to` back to `backfill_from`. */
  backfill_at: Date | null;
  backfill_error: string | null;
}
