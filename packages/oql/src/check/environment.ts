import type { Sql } from '../sql/sql.ts';
import type { Expression, Pipeline } from '../syntax/ast.ts';
import type { Context } from './context.ts';
import type { Column, Relation } from './relation.ts';
import type { Value } from './value.ts';
import type { Windows } from './windows.ts';

/** How rows are ordered and partitioned, and where columns computed from other rows are added. */
export interface WindowScope {
  readonly windows: Windows;
  /** Adds a column for a value with an `OVER`. */
  readonly add: (value: Sql) => Sql;
}

/** The place of an expression in the query, which decides what its names mean. */
export interface Environment {
  readonly ctx: Context;
  readonly relation: Relation;
  /** `rows`: computed for one row. `groups`: computed for a group, so fields occur only inside aggregate functions. */
  readonly level: 'rows' | 'groups';
  /** At the level of groups: the columns that rows are grouped by. */
  readonly keys: readonly Column[];
  /** The value of `window`: how much of the row's bucket, or of the whole range, lies in the range and is over; undefined for days of a time zone. */
  readonly window: Value | undefined;
  /** The argument that may select a part of a histogram's observations, as in `ratio(value <= 0.1)`. */
  readonly share?: Expression;
  /** Checks a part of the current expression. */
  readonly check: (expression: Expression, environment: Environment) => Value;
  /** Present where an expression may read other rows: in `extend`. */
  readonly windowScope?: WindowScope;
  /** Checks a sub-query on its own, in the window of the whole query. */
  readonly subquery: (pipeline: Pipeline, ctx: Context) => Relation;
}
