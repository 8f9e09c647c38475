import type { Context } from '../check/context.ts';
import type { Relation } from '../check/relation.ts';
import type { StageKind, StageOf } from '../syntax/ast.ts';

/** One stage of the language: its documentation, and how it transforms its input. */
export interface StageDefinition<K extends StageKind> {
  readonly kind: K;
  readonly syntax: string;
  /** One sentence. */
  readonly doc: string;
  /** Whole queries; each is a test. */
  readonly examples: readonly string[];
  readonly check: (stage: StageOf<K>, input: Relation, ctx: Context) => Relation;
}
