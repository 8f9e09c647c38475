import { isDeepStrictEqual } from 'node:util';
import { type Compiled, type CompileOptions, type Diagnostic, FAILED_ASSUMPTION } from '@fanion/oql';
import { storeErrorCode } from '../../clickhouse/index.ts';
import type { Clock } from '../../clock.ts';
import { Failure } from '../../fail.ts';
import { scopeToCompile, type TelemetryScope } from '../../scoped-telemetry.ts';
import { TtlCache } from '../../ttl-cache.ts';
import type { Assumption, Knowledge, Known, Wanted } from '../know/knowledge.ts';
import { type Needs, needsOfPlan, needsOfText } from '../parse/needs.ts';
import type { Compiler } from './compiler.ts';
import { invalidQuery } from './invalid-query.ts';

const rememberedMs = 600_000;
const maxRemembered = 1_000;
/** Characters of a text with its parameters; longer ones are not remembered, for their size. */
const maxRememberedText = 1_000;
/** So often a query is asked with assumptions; then without any. */
const mostAttempts = 4;
const FUNCTION_THROW_IF_VALUE_IS_NON_ZERO = 395;

/** A query to be planned. */
export interface Asked {
  readonly scope: TelemetryScope;
  readonly text: string;
  readonly options: Omit<CompileOptions, 'scope' | 'catalogue' | 'types'>;
  /** See `Wanted.hints`. */
  readonly hints: boolean;
  readonly signal: AbortSignal;
}

/** A statement, and what it assumes. */
export interface Planned {
  readonly plan: Compiled;
  readonly known: Known;
  /** Whether `plan.ofTexts` is sent to the store, if there is one. */
  readonly areTexts: boolean;
}

/** What a statement assumes, for people. */
export function assumptionsOf({ plan, known: { catalogue, types }, areTexts }: Planned) {
  const all = {
    places: catalogue !== undefined && catalogue.partial !== true,
    kinds: types?.checked === true,
    alike: types?.alike === true,
    integers: types?.integers === false,
    texts: areTexts,
    roll_ups: plan.rollUps.some(({ read }) => read.length > 0),
  };
  return (Object.keys(all) as (keyof typeof all)[]).filter((name) => all[name]);
}

/** Why a statement was asked again: an assumption that it found not to hold, or what was found beside it. */
export type Refuted = Assumption | 'changed' | 'unanswered';

interface PlannerOptions {
  readonly compiler: Compiler;
  readonly knowledge: Knowledge;
  readonly clock: Clock;
}

export class Planner {
  readonly #options: PlannerOptions;
  readonly #remembered: TtlCache<string, Needs>;
  readonly #counts: Record<Refuted, number> = { alike: 0, kind: 0, integers: 0, texts: 0, changed: 0, unanswered: 0 };

  constructor(options: PlannerOptions) {
    this.#options = options;
    this.#remembered = new TtlCache<string, Needs>({ clock: options.clock, ttlMs: rememberedMs, max: maxRemembered });
  }

  /**
   * Compiles a query for what is known: once, if its text was asked before.
   * @throws `OQL_INVALID`
   */
  async plan(asked: Asked): Promise<Planned> {
    const { scope, text, options } = asked;
    const key = JSON.stringify([text, options.params]);
    const isShort = key.length <= maxRememberedText;
    let needs = (isShort && this.#remembered.get(key)) || needsOfText(text);
    for (let attempt = 1; attempt < mostAttempts; attempt++) {
      const wanted = wantedBy(needs, asked);
      const planned = await this.#compileFor(asked, await this.#options.knowledge.of(scope, wanted));
      const found = needsOfPlan(planned.plan, options.window);
      if (isKnown(found, wanted, asked, this.#options.knowledge)) {
        if (isShort) this.#remembered.set(key, found);
        return planned;
      }
      needs = found;
    }
    return this.#withoutAssumptions(asked, wantedBy(needs, asked));
  }

  /**
   * Asks a planned query, and what it assumed beside it. Where that does not hold, the query is planned for what is known by then and asked again;
   * there is no other reason to ask again.
   * @param moment of the question, in milliseconds since the epoch: the answer has everything that was stored by then
   */
  async answer<T>(
    asked: Asked,
    first: Planned,
    moment: number,
    ask: (planned: Planned) => Promise<T>,
  ): Promise<{ readonly value: T; readonly plan: Compiled }> {
    let planned = first;
    for (let attempt = 1; ; attempt++) {
      const { plan: statement, known } = planned;
      const [outcome, check] = await Promise.all([
        outcomeOf(ask(planned), planned),
        this.#options.knowledge.check(asked.scope, known, statement, moment),
      ]);
      if ('value' in outcome && check === 'holds') return { value: outcome.value, plan: statement };
      if ('failed' in outcome)
        this.#options.knowledge.refute(asked.scope, namesOf(planned, outcome.failed), outcome.failed);
      const refuted = 'failed' in outcome ? outcome.failed : check === 'holds' ? 'changed' : check;
      this.#counts[refuted]++;
      const isLast = refuted === 'unanswered' || attempt >= mostAttempts;
      const next = await (isLast ? this.#withoutAssumptions(asked, known.wanted) : this.plan(asked));
      // What has changed does not matter to it.
      if ('value' in outcome && isDeepStrictEqual(statementOf(next), statementOf(planned)))
        return { value: outcome.value, plan: next.plan };
      planned = next;
    }
  }

  /** Checks a query without running it. */
  async validate({ scope, text, signal }: Pick<Asked, 'scope' | 'text' | 'signal'>): Promise<{
    readonly valid: boolean;
    readonly diagnostics: readonly Diagnostic[];
  }> {
    const { clock, knowledge, compiler } = this.#options;
    const moment = clock.now();
    const nowNs = BigInt(moment) * 1_000_000n;
    const wanted = { ...needsOfText(text), text, hints: true, reach: { fromNs: nowNs, toNs: nowNs } };
    const judge = async () => {
      const known = await knowledge.of(scope, wanted);
      const { catalogue } = known;
      const asked = { workspace: scope.workspace, signal };
      const judged = await compiler.validate(text, { ...(catalogue && { catalogue }) }, asked);
      return { known, judged };
    };
    const { known, judged } = await judge();
    const now = await knowledge.check(scope, known, { warnings: judged.diagnostics, checksKinds: true }, moment);
    return now === 'changed' ? (await judge()).judged : judged;
  }

  /** How often a statement was asked again since the start. */
  refuted(): Readonly<Record<Refuted, number>> {
    return { ...this.#counts };
  }

  async #compileFor(asked: Asked, known: Known): Promise<Planned> {
    const { scope, text, options, signal } = asked;
    const { catalogue, types } = known;
    const result = await this.#options.compiler.compile(
      text,
      { ...options, scope: scopeToCompile(scope), ...(catalogue && { catalogue }), ...(types && { types }) },
      { workspace: scope.workspace, signal },
    );
    if (result.ok) {
      const areTexts = result.ofTexts !== undefined && this.#options.knowledge.areTexts(scope, result.ofTexts.names);
      return { plan: result, known, areTexts };
    }
    // What is wrong with a query does not depend on what its metrics are.
    if (types) return this.#compileFor(asked, { ...known, types: undefined });
    throw invalidQuery(result.diagnostics);
  }

  async #withoutAssumptions(asked: Asked, wanted: Wanted): Promise<Planned> {
    return {
      ...(await this.#compileFor(asked, this.#options.knowledge.nothing(asked.scope, wanted))),
      areTexts: false,
    };
  }
}

function wantedBy({ beforeNs, metrics, rolledUp }: Needs, { text, options, hints }: Asked): Wanted {
  const { fromNs, toNs } = options.window;
  return { text, hints, metrics, rolledUp, reach: { fromNs: fromNs - beforeNs, toNs } };
}

function isKnown(needs: Needs, known: Wanted, asked: Asked, knowledge: Knowledge): boolean {
  const { metrics, rolledUp, reach } = wantedBy(needs, asked);
  return (
    metrics.every((name) => known.metrics.includes(name)) &&
    rolledUp.every((name) => known.rolledUp.includes(name)) &&
    knowledge.reaches(known.reach, reach)
  );
}

function namesOf({ plan, known }: Planned, failed: Assumption): readonly string[] {
  return failed === 'texts' ? (plan.ofTexts?.names ?? []) : known.wanted.metrics;
}

/** What decides the rows of an answer and how they are read. */
function statementOf({ plan: { sql, params, settings, columns, kind, ofTexts }, areTexts }: Planned) {
  return { sql, params, settings, columns, kind, ofTexts: areTexts && ofTexts };
}

/** What a statement returned, or the assumption that it has found not to hold. Throws any other failure. */
async function outcomeOf<T>(
  asked: Promise<T>,
  planned: Planned,
): Promise<{ readonly value: T } | { readonly failed: Assumption }> {
  try {
    return { value: await asked };
  } catch (error) {
    return { failed: assumptionOf(error, planned) };
  }
}

/** The assumption that a statement has found not to hold. Throws any other failure. */
function assumptionOf(error: unknown, { areTexts }: Planned): Assumption {
  const cause: unknown = error instanceof Failure ? error.cause : undefined;
  const message = cause instanceof Error ? cause.message : '';
  for (const one of ['alike', 'integers', 'kind'] as const) if (message.startsWith(FAILED_ASSUMPTION[one])) return one;
  // It may also be another limit of the query; then the general statement reports it.
  if (areTexts && storeErrorCode(cause) === FUNCTION_THROW_IF_VALUE_IS_NON_ZERO) return 'texts';
  throw error;
}
