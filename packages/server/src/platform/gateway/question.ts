import type { ChangeRow, Compiled, CompiledRelation, ResultColumn, ResultKind, ResultValue } from '@fanion/oql';
import type { QueryCost, QueryLimits } from '../clickhouse/index.ts';
import type { Window } from '../time-window.ts';
import type { Completeness } from './answer/completeness-rules.ts';
import type { EncodedRows } from './answer/encoded-rows.ts';
import type { Lane } from './run/lanes.ts';

/** Reads the changes of a window that somebody may read, and what was left out of them. */
export type ReadChanges = (
  window: Window,
  signal: AbortSignal,
) => Promise<{ readonly rows: readonly ChangeRow[]; readonly warnings: readonly string[] }>;

/** A query. */
export interface Question {
  readonly oql: string;
  readonly window: Window;
  /** Most rows to return. */
  readonly limit: number;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  /** Whether its warnings tell of names that were never sent, and which may have been meant. */
  readonly hints?: boolean;
  /** Absent: a query of `changes` is invalid. */
  readonly changes?: ReadChanges | undefined;
}

/** The limits of an answer, and its lane. */
export interface Budget {
  readonly lane: Lane;
  /** Aborting ends the query, also while it waits. */
  readonly signal: AbortSignal;
  /**
   * How old an answer may be, in milliseconds since its statement began. 0, the default, always asks the store. Answers
   * are cached by query, scope, window and parameters, so callers that want to share them align their windows.
   */
  readonly maxAgeMs?: number;
  /** Limits that differ from the server's own. */
  readonly limits?: Partial<QueryLimits>;
  /**
   * `skip`: while a shard of the telemetry store does not answer, the answer leaves it out and says so, instead of failing. Only for people:
   * whatever decides by an answer would take the missing rows for a drop.
   */
  readonly whenShardsAway?: 'fail' | 'skip' | undefined;
}

export interface Answer {
  readonly plan: Compiled;
  readonly columns: readonly ResultColumn[];
  readonly kind: ResultKind;
  readonly rows: readonly (readonly ResultValue[])[];
  /** Whether there are more rows than requested. */
  readonly truncated: boolean;
  readonly cost: QueryCost;
  readonly completeness: Completeness;
  /** What was left out of the changes that it read. */
  readonly warnings: readonly string[];
  /** Milliseconds since its statement began; 0 if it is not from the cache. */
  readonly ageMs: number;
}

/** An answer that is sent on as JSON: the rows of a large one are text already. */
export interface JsonAnswer extends Omit<Answer, 'rows'> {
  readonly rows: Answer['rows'] | EncodedRows;
}

/** An answer whose rows are streamed from the store. */
export interface StreamedAnswer {
  readonly columns: readonly ResultColumn[];
  readonly batches: AsyncGenerator<ResultValue[][], void, undefined>;
  /** Rows returned so far, whether there are more than requested, and after the last one what the answer may lack. */
  readonly told: { readonly rows: number; readonly truncated: boolean; readonly completeness?: Completeness };
  /** Ends the query at any time. */
  close(): void;
}

/** A query as a table of another statement. */
export interface RelationQuestion {
  readonly oql: string;
  readonly window: Window;
  /** Groups by time in steps of this width too; see `compileRelation`. In nanoseconds. */
  readonly bucketNs?: bigint;
  /** The query returns single rows; see `compileRelation`. */
  readonly rows?: boolean;
  /** Columns that are read as numbers; see `compileRelation`. */
  readonly numbers?: readonly string[];
  /** A column that most rows have as a text; see `compileRelation`. */
  readonly mostlyText?: string;
}

/** A statement of a feature's `store.ts` around relations. */
export interface Around {
  readonly sql: string;
  /** Bound as `{name:Type}`, in addition to the values of the relations. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** Settings that the statement needs, beside those of the relations. */
  readonly settings?: Readonly<Record<string, string | number>>;
}

export interface Related<Row, Name extends string> {
  readonly rows: readonly Row[];
  readonly relations: Readonly<Record<Name, CompiledRelation>>;
  readonly cost: QueryCost;
}
