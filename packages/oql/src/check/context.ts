import type { Finding, Severity } from '../diagnostics/diagnostic.ts';
import type { Window } from '../plan/plan.ts';
import type { ColumnId } from '../sql/sql.ts';
import type { Pipeline, Range, Stage } from '../syntax/ast.ts';
import { LIMITS } from '../syntax/guard.ts';
import { type HintBudget, nearest } from '../text/distance.ts';
import type { Catalogue, KnownMetrics } from './catalogue.ts';
import type { Relation } from './relation.ts';

/** A field as a query names it, and what it turned out to be; for `explain`. */
export interface FieldUse {
  readonly ref: string;
  readonly resolved: string;
  readonly index: string | null;
}

export interface ContextOptions {
  /** Checks a pipeline on its own. */
  readonly subquery: (pipeline: Pipeline, ctx: Context) => Relation;
  readonly window: Window;
  readonly nowNs: bigint;
  readonly catalogue?: Catalogue;
  /** What is known of all metrics that the query reads. */
  readonly types?: KnownMetrics;
  /** Gives ids to columns; shared by contexts of one query. */
  readonly fresh?: () => ColumnId;
  readonly metrics?: Set<string>;
  readonly hints?: HintBudget;
  /** Absent while a query is only validated: then each parameter could be anything. */
  readonly params?: Readonly<Record<string, unknown>>;
}

/** What is known and collected while one query is checked. */
export class Context {
  readonly window: Window;
  readonly nowNs: bigint;
  readonly catalogue: Catalogue | undefined;
  readonly types: KnownMetrics | undefined;
  /** Names of the metrics that are asked about. */
  readonly metrics: Set<string>;
  readonly params: Readonly<Record<string, unknown>> | undefined;
  readonly subquery: ContextOptions['subquery'];
  readonly findings: Finding[] = [];
  readonly fields = new Map<string, FieldUse>();
  readonly lets = new Map<string, Pipeline>();
  readonly fresh: () => ColumnId;
  /** The `let`s that are being checked, so that none is made of itself. */
  readonly openLets = new Set<string>();
  /** The keyword of the stage that is being checked. */
  stage: string | undefined;
  /** The stages after the one that is being checked: a range function goes by the buckets that its rows will fall into. */
  following: readonly Stage[] = [];
  /** The pipeline at hand up to the stage that is being checked, in another window; for comparisons. */
  again: (window: Window) => Relation | undefined = () => undefined;
  /** What is left for finding what unknown names were meant to be: a text may hold thousands of them. */
  readonly hints: HintBudget;
  /** How many operands were calculated with. */
  operands = 0;
  /** How many values were made of other rows. */
  windows = 0;
  /** How many fields were named. */
  names = 0;
  /** How many pipelines are around what is being checked. */
  depth = 0;
  /** How many pipelines were checked, sub-queries and `let`s each time they are used. */
  pipelines = 0;

  constructor(options: ContextOptions) {
    this.subquery = options.subquery;
    let last = 0;
    this.fresh = options.fresh ?? (() => ++last);
    this.window = options.window;
    this.nowNs = options.nowNs;
    this.catalogue = options.catalogue;
    this.types = options.types;
    this.metrics = options.metrics ?? new Set();
    this.params = options.params;
    this.hints = options.hints ?? { left: LIMITS.hintLetters };
  }

  /** The same query in another window. What is wrong with it was told already. */
  inWindow(window: Window): Context {
    const other = new Context({
      window,
      nowNs: this.nowNs,
      subquery: this.subquery,
      ...(this.catalogue ? { catalogue: this.catalogue } : {}),
      ...(this.types ? { types: this.types } : {}),
      metrics: this.metrics,
      ...(this.params ? { params: this.params } : {}),
      fresh: this.fresh,
      hints: this.hints,
    });
    for (const [name, pipeline] of this.lets) other.lets.set(name, pipeline);
    other.pipelines = this.pipelines;
    other.operands = this.operands;
    other.names = this.names;
    other.windows = this.windows;
    other.depth = this.depth;
    return other;
  }

  report(finding: Finding): void {
    this.findings.push(this.stage === undefined ? finding : { stage: this.stage, ...finding });
  }

  error(name: Finding['name'], range: Range, message: string, suggestion?: Finding['suggestion']): void {
    this.#add(name, range, message, 'error', suggestion);
  }

  warn(name: Finding['name'], range: Range, message: string, suggestion?: Finding['suggestion']): void {
    this.#add(name, range, message, 'warning', suggestion);
  }

  inform(name: Finding['name'], range: Range, message: string, suggestion?: Finding['suggestion']): void {
    this.#add(name, range, message, 'info', suggestion);
  }

  #add(
    name: Finding['name'],
    range: Range,
    message: string,
    severity: Severity,
    suggestion: Finding['suggestion'],
  ): void {
    this.report({ name, range, message, severity, ...(suggestion ? { suggestion } : {}) });
  }

  /** The candidate that a word was most likely meant to be; none once too much was spent on looking for such. */
  nearest(word: string, candidates: Iterable<string>): string | undefined {
    return nearest(word, candidates, this.hints);
  }

  get failed(): boolean {
    return this.findings.some((finding) => (finding.severity ?? 'error') === 'error');
  }

  use(field: FieldUse): void {
    this.fields.set(field.ref, field);
  }
}
