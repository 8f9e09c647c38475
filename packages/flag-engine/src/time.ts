import type { CompiledRuleset } from './compiled.ts';
import { parseInstant } from './operators/date.ts';
import type { Clause } from './ruleset.ts';

/** When answers can change without a write: rules compare `now` with these instants. */
interface TimeRules {
  /** Milliseconds since 1970, in order. */
  readonly instants: readonly number[];
  /** Whether a clause compares `now` without fixed instants. */
  readonly always: boolean;
}

const ORDERS: ReadonlySet<string> = new Set(['before', 'after', 'lt', 'lte', 'gt', 'gte']);
const known = new WeakMap<CompiledRuleset, TimeRules>();

/**
 * A text that changes whenever the passing of time can change an answer, for entity tags; empty if no rule compares
 * `now`. It reads the ruleset's clock.
 */
export function timeTag(compiled: CompiledRuleset): string {
  const rules = timeRules(compiled);
  if (rules.instants.length === 0 && !rules.always) return '';
  const now = compiled.clock?.() ?? 0;
  if (rules.always) return `-t${now}`;
  return `-t${rules.instants.filter((instant) => instant <= now).length}`;
}

/** How often a ruleset counts as changed where a clause compares `now` in a way that has no instants. */
const ALWAYS_MS = 60_000;

/**
 * The next time after this one at which the ruleset can change its answers by itself, in milliseconds since 1970: a rule
 * compares `now` with it. Undefined: never. Answers that can change at any moment count as changing once a minute.
 */
export function nextTimeChange(compiled: CompiledRuleset, afterMs: number): number | undefined {
  const { instants, always } = timeRules(compiled);
  const next = instants.find((instant) => instant > afterMs);
  if (!always) return next;
  return Math.min(next ?? Number.POSITIVE_INFINITY, afterMs + ALWAYS_MS);
}

function timeRules(compiled: CompiledRuleset): TimeRules {
  let rules = known.get(compiled);
  if (rules === undefined) {
    rules = timeRulesOf(compiled);
    known.set(compiled, rules);
  }
  return rules;
}

function timeRulesOf({ required, segments }: CompiledRuleset): TimeRules {
  const instants = new Set<number>();
  let always = false;
  const add = ({ op, values }: Clause) => {
    for (const value of values) {
      const instant = ORDERS.has(op) ? parseInstant(value) : undefined;
      if (instant === undefined) always = true;
      // `before` changes at the instant, `after` a millisecond later.
      else instants.add(instant).add(instant + 1);
    }
  };
  const rulesOf = [
    ...[...required.values()].map(({ source }) => source?.rules),
    ...[...segments.values()].map(({ ruleSources }) => ruleSources),
  ];
  for (const rules of rulesOf) {
    // A malformed flag may lack any part.
    for (const rule of Array.isArray(rules) ? rules : []) {
      for (const clause of rule?.clauses ?? []) {
        if (clause?.attribute === 'now' && clause.context_kind === undefined && clause.op !== 'exists') add(clause);
      }
    }
  }
  return { instants: [...instants].sort((a, b) => a - b), always };
}
