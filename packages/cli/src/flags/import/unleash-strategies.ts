import type { RuleDocument } from '../document.ts';
import { NoEqual, type Report } from './conversion.ts';
import { alternatives, clause, type Expression, never, oneOf } from './expression.ts';
import { type Fields, fieldsListOf, fieldsOf, listOf, textOf } from './read.ts';
import { constraintsOf } from './unleash-constraints.ts';
import type { VariantPlan } from './unleash-variants.ts';

export interface StrategyContext {
  readonly flag: string;
  readonly where: string;
  readonly plan: VariantPlan;
  /** Of the feature in this environment. */
  readonly variants: readonly Fields[];
  /** Keys of segments by their id. */
  readonly names: ReadonlyMap<string, string>;
  readonly report: Report;
}

/**
 * Strategies in the order in which they mean the same as rules. In Unleash a feature is on where any strategy says so;
 * here the first rule that matches decides. So those without a percentage come first, and of those with one, all but
 * the last may take away what a later one would have given.
 */
export function orderedStrategies(strategies: readonly Fields[], { where, report }: StrategyContext): Fields[] {
  const active = strategies.filter((strategy) => strategy.disabled !== true);
  if (active.length < strategies.length) report.lost(where, 'strategies that are disabled are left out');
  const sorted = [...active].sort((a, b) => Number(a.sortOrder ?? 0) - Number(b.sortOrder ?? 0));
  const isPartial = (strategy: Fields) => shareOf(strategy) < 1;
  const partial = sorted.filter(isPartial);
  if (partial.length > 1) {
    report.changed(
      where,
      `${partial.length} strategies have a percentage: who matches several is decided by the first`,
    );
  }
  return [...sorted.filter((strategy) => !isPartial(strategy)), ...partial];
}

/** One strategy as rules. */
export function strategyRules(strategy: Fields, i: number, context: StrategyContext): RuleDocument[] {
  const { where, report, plan, variants } = context;
  const title = textOf(strategy.title);
  const name = textOf(strategy.name) ?? '';
  const at = `${where}, strategy ${title ?? `${i + 1} (${name})`}`;
  const rules = report.attempt(at, 'the strategy is left out', () => {
    const note = (what: string) => report.changed(at, what);
    const audience = audienceOf(name, fieldsOf(strategy.parameters));
    const segments = listOf(strategy.segments).map((id) => segmentOf(id, context.names));
    const expression: Expression = {
      kind: 'all',
      of: [audience, ...segments, constraintsOf(strategy.constraints, note)],
    };
    const own = fieldsListOf(strategy.variants);
    const serve = plan.serve(shareOf(strategy), own.length > 0 ? own : variants, bucketOf(strategy, note));
    if (serve.rollout !== undefined) note('units are divided anew: Unleash buckets by another hash');
    const description = title === undefined ? {} : { description: title };
    return alternatives(expression).map((clauses) => ({ ...description, clauses, ...serve }));
  });
  return rules ?? [];
}

function segmentOf(id: unknown, names: ReadonlyMap<string, string>): Expression {
  const key = names.get(String(id));
  if (key === undefined) throw new NoEqual(`the segment ${String(id)} could not be taken over`);
  return clause({ op: 'in_segment', values: [key] });
}

/** Whom a strategy is for, its percentage aside. */
function audienceOf(name: string, parameters: Fields): Expression {
  const list = (parameter: string) =>
    String(parameters[parameter] ?? '')
      .split(',')
      .map((value) => value.trim())
      .filter((value) => value !== '');
  switch (name) {
    case 'default':
    case 'flexibleRollout':
    case 'gradualRolloutRandom':
      return { kind: 'all', of: [] };
    // Nobody without it, at any percentage.
    case 'gradualRolloutUserId':
      return clause({ attribute: 'targetingKey', op: 'exists', values: [] });
    case 'gradualRolloutSessionId':
      return clause({ attribute: 'sessionId', op: 'exists', values: [] });
    case 'userWithId':
      return oneOf('targetingKey', list('userIds'));
    case 'remoteAddress':
      return list('IPs').length === 0 ? never : clause({ attribute: 'remoteAddress', op: 'cidr', values: list('IPs') });
    case 'applicationHostname':
      throw new NoEqual('it is for host names of applications, which are no part of an evaluation context');
    default:
      throw new NoEqual(`${name} is a strategy of your own`);
  }
}

/** From 0 to 1. */
function shareOf(strategy: Fields): number {
  const parameters = fieldsOf(strategy.parameters);
  const name = textOf(strategy.name) ?? '';
  if (name !== 'flexibleRollout' && !name.startsWith('gradualRollout')) return 1;
  const percent = Number(parameters.rollout ?? parameters.percentage ?? 0);
  return Number.isFinite(percent) ? Math.min(1, Math.max(0, percent / 100)) : 0;
}

/** The attribute that decides who is in; undefined for the targeting key. */
function bucketOf(strategy: Fields, note: (what: string) => void): string | undefined {
  const { stickiness } = fieldsOf(strategy.parameters);
  const name = textOf(strategy.name) ?? '';
  if (shareOf(strategy) === 1 && fieldsListOf(strategy.variants).length === 0) return undefined;
  if (name === 'gradualRolloutSessionId' || stickiness === 'sessionId') return 'sessionId';
  if (name === 'gradualRolloutRandom' || stickiness === 'random') {
    note('it divides at random for each evaluation: here a unit stays where it is');
    return undefined;
  }
  const field = textOf(stickiness) ?? 'default';
  if (field === 'default') note('it divides by user, else by session: here by the targeting key');
  return field === 'default' || field === 'userId' ? undefined : field;
}
