import type { Sql } from '../sql/sql.ts';
import type { Expression, Pipeline } from '../syntax/ast.ts';
import type { Context } from './context.ts';
import type { Column, Relation } from './relation.ts';
import type { Value } from './value.ts';
import type { Windows } from './windows.ts';

/** How rows lie beside each other, and where columns that are made of other rows go. */
export interface WindowScope {
  readonly windows: Windows;
  /** Makes a column of a value with an `OVER`. */
  readonly add: (value: Sql) => Sql;
}

/** Where an expression stands, which decides what its names mean. */
export interface Environment {
  readonly ctx: Context;
  readonly relation: Relation;
  /** `rows`: about one row. `groups`: about the rows of a group, so fields occur inside of aggregate functions only. */
  readonly level: 'rows' | 'groups';
  /** On the level of groups: what rows are grouped by. */
  readonly keys: readonly Column[];
  /** What `window` means: the width of a bucket, or else of the whole range; undefined where buckets differ in width. */
  readonly windowNs: bigint | undefined;
  /** The argument that may be a part of a histogram's observations, as in `ratio(value <= 0.1)`. */
  readonly share?: Expression;
  /** Checks an expression that is part of the one at hand. */
  readonly check: (expression: Expression, environment: Environment) => Value;
  /** Present where an expression may be made of other rows: in `extend`. */
  readonly windowScope?: WindowScope;
  /** Checks a sub-query on its own, in the window of the whole query. */
  readonly subquery: (pipeline: Pipeline, ctx: Context) => Relation;
}
