import type { Finding, Severity } from '../diagnostics/diagnostic.ts';
import type { Plan, Window } from '../plan/plan.ts';
import type { ColumnId } from '../sql/sql.ts';
import type { Pipeline, Range, Stage } from '../syntax/ast.ts';
import { LIMITS } from '../syntax/guard.ts';
import { type HintBudget, nearest } from '../text/distance.ts';
import type { Catalogue, KnownMetrics } from './catalogue.ts';
import type { AttributeKey, AttributeScope, Relation, SampledRows } from './relation.ts';

/** A field as a query names it, and what it resolves to; for `explain`. */
export interface FieldUse {
  readonly ref: string;
  readonly resolved: string;
  readonly index: string | null;
}

/** Which attribute the name of a field means. */
export interface AttributeUse {
  readonly scope: AttributeScope;
  readonly keys: readonly AttributeKey[];
}

/** Attributes of spans and logs whose values are read whatever their types are. */
export interface AttributeTexts {
  /** With their signals. */
  readonly names: Set<string>;
  /** Reads each of them as a text that every row has, and fails at a row that has it not. */
  readonly assumed: boolean;
}

/** Roll-ups that a query can be answered from. */
export interface RollUpUse {
  readonly metric: string;
  /** Seconds of a slot. */
  readonly width: RollUpWidth;
  /** What is read from roll-ups; everything else is read from points. Empty: all of it. */
  readonly read: readonly Window[];
}

export type RollUpWidth = 300 | 3600;

export interface ContextOptions {
  /** Checks a pipeline on its own. */
  readonly subquery: (pipeline: Pipeline, ctx: Context) => Relation;
  readonly window: Window;
  readonly nowNs: bigint;
  readonly catalogue?: Catalogue;
  /** The known kinds of all metrics that the query reads. */
  readonly types?: KnownMetrics;
  /** Allocates ids for columns; shared by the contexts of one query. */
  readonly fresh?: () => ColumnId;
  readonly metrics?: Set<string>;
  readonly texts?: AttributeTexts;
  readonly rollUps?: RollUpUse[];
  readonly anchorless?: Plan[];
  readonly sampled?: SampledRows[];
  readonly hints?: HintBudget;
  /** Absent while a query is only validated: a parameter can then have any type. */
  readonly params?: Readonly<Record<string, unknown>>;
}

/** The inputs and collected results of checking one query. */
export class Context {
  readonly window: Window;
  readonly nowNs: bigint;
  readonly catalogue: Catalogue | undefined;
  readonly types: KnownMetrics | undefined;
  /** Names of the metrics that the query reads. */
  readonly metrics: Set<string>;
  readonly texts: AttributeTexts;
  /** What range functions may read roll-ups for, and which they do read. */
  readonly rollUps: RollUpUse[];
  /** Plans with one row for each series that has no earlier point to count from, unless the statement fails where there is one. */
  readonly anchorless: Plan[];
  /** Rows that its aggregates count by weights: see `noteSampled`. */
  readonly sampled: SampledRows[];
  readonly params: Readonly<Record<string, unknown>> | undefined;
  readonly subquery: ContextOptions['subquery'];
  readonly findings: Finding[] = [];
  readonly fields = new Map<string, FieldUse>();
  /** The attributes among the fields, by their names in the query. */
  readonly attributes = new Map<string, AttributeUse>();
  readonly lets = new Map<string, Pipeline>();
  readonly fresh: () => ColumnId;
  /** The `let`s that are being checked, to detect one that refers to itself. */
  readonly openLets = new Set<string>();
  /** The keyword of the stage that is being checked. */
  stage: string | undefined;
  /** The stages after the one that is being checked: a range function uses the buckets of the next grouping. */
  following: readonly Stage[] = [];
  /** The stages of the pipeline before it. */
  preceding: readonly Stage[] = [];
  /** Checks the current pipeline up to the current stage in another window, without the last `dropped` stages; for comparisons. */
  again: (window: Window, dropped?: number) => Relation | undefined = () => undefined;
  /** Remaining budget for suggesting names: a text may contain thousands of unknown ones. */
  readonly hints: HintBudget;
  /** Number of arithmetic operands so far. */
  operands = 0;
  /** Number of values computed from other rows so far. */
  windows = 0;
  /** Number of uses of fields so far. */
  names = 0;
  /** Nesting depth of the current pipeline. */
  depth = 0;
  /** Number of pipelines checked so far; sub-queries and `let`s count each time they are used. */
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
    this.texts = options.texts ?? { names: new Set(), assumed: false };
    this.rollUps = options.rollUps ?? [];
    this.anchorless = options.anchorless ?? [];
    this.sampled = options.sampled ?? [];
    this.params = options.params;
    this.hints = options.hints ?? { left: LIMITS.hintLetters };
  }

  /** The same query in another window. Its findings were already reported for the first window. */
  inWindow(window: Window): Context {
    const other = new Context({
      window,
      nowNs: this.nowNs,
      subquery: this.subquery,
      ...(this.catalogue ? { catalogue: this.catalogue } : {}),
      ...(this.types ? { types: this.types } : {}),
      metrics: this.metrics,
      texts: this.texts,
      rollUps: this.rollUps,
      anchorless: this.anchorless,
      sampled: this.sampled,
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

  /** The candidate nearest to a word; undefined if none is near or the budget for suggestions is spent. */
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
