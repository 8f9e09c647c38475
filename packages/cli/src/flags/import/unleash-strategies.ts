import { type Fields, fieldsListOf, fieldsOf, listOf, textOf } from '../../files/fields.ts';
import { NoEqual, type Report } from '../../files/report.ts';
import type { RuleDocument } from '../document.ts';
import { alternatives, clause, type Expression, oneOf } from './expression.ts';
import { constraintsOf, inNetworks } from './unleash-constraints.ts';
import { atRandom, overridesOf, type VariantPlan } from './unleash-variants.ts';

export interface StrategyContext {
  readonly flag: string;
  readonly where: string;
  readonly plan: VariantPlan;
  /** Of the feature in this environment. */
  readonly variants: readonly Fields[];
  /** Keys of segments by id. */
  readonly names: ReadonlyMap<string, string>;
  readonly report: Report;
}

/** Enabled strategies in Unleash's order: the first that matches decides. */
export function activeStrategies(strategies: readonly Fields[], { where, report }: StrategyContext): Fields[] {
  const active = strategies.filter((strategy) => strategy.disabled !== true);
  if (active.length < strategies.length) report.lost(where, 'strategies that are disabled are not imported');
  return [...active].sort((a, b) => Number(a.sortOrder ?? 0) - Number(b.sortOrder ?? 0));
}

/** One strategy as rules. */
export function strategyRules(strategy: Fields, i: number, context: StrategyContext): RuleDocument[] {
  const { where, report, plan, variants } = context;
  const title = textOf(strategy.title);
  const name = textOf(strategy.name) ?? '';
  const at = `${where}, strategy ${title ?? `${i + 1} (${name})`}`;
  const rules = report.attempt(at, 'the strategy is not imported', () => {
    const note = (what: string) => report.changed(at, what);
    const parameters = fieldsOf(strategy.parameters);
    const audience = audienceOf(name, parameters, note);
    const segments = listOf(strategy.segments).map((id) => segmentOf(id, context.names));
    const when: Expression = { kind: 'all', of: [audience, ...segments, constraintsOf(strategy.constraints, note)] };
    const share = shareOf(name, parameters, context.flag, note);
    const head = {
      ...(title !== undefined && { description: title }),
      ...(share !== undefined && { shares: [share] }),
    };
    const own = fieldsListOf(strategy.variants);
    const given = own.length > 0 ? own : variants;
    const stickiness = textOf(given[0]?.stickiness) ?? (own.length > 0 ? textOf(parameters.stickiness) : undefined);
    const seed = own.length > 0 ? (textOf(parameters.groupId) ?? '') : context.flag;
    const serve = plan.serve(given, { seed, stickiness, note });
    const overridden = overridesOf(given, plan).flatMap(({ variant, clause }) =>
      alternatives({ kind: 'all', of: [when, clause] }).map((clauses) => ({ ...head, clauses, variant })),
    );
    return [...overridden, ...alternatives(when).map((clauses) => ({ ...head, clauses, ...serve }))];
  });
  return rules ?? [];
}

function segmentOf(id: unknown, names: ReadonlyMap<string, string>): Expression {
  const key = names.get(String(id));
  if (key === undefined) throw new NoEqual(`the segment ${String(id)} could not be imported`);
  return clause({ op: 'in_segment', values: [key] });
}

/** The targeting of a strategy, without its percentage. */
function audienceOf(name: string, parameters: Fields, note: (what: string) => void): Expression {
  const list = (parameter: string) =>
    String(parameters[parameter] ?? '')
      .split(',')
      .map((value) => value.trim())
      .filter((value) => value !== '');
  switch (name) {
    case 'default':
    case 'flexibleRollout':
    case 'gradualRolloutRandom':
    case 'gradualRolloutUserId':
    case 'gradualRolloutSessionId':
      return { kind: 'all', of: [] };
    case 'userWithId':
      return oneOf('targetingKey', list('userIds'));
    case 'remoteAddress':
      return inNetworks('remoteAddress', list('IPs'), note);
    case 'applicationHostname':
      throw new NoEqual('it compares host names of applications, which are not in an evaluation context');
    default:
      throw new NoEqual(`${name} is a custom strategy`);
  }
}

type ShareDocument = NonNullable<RuleDocument['shares']>[number];

/**
 * The percentage of a strategy; undefined when it includes everybody. Unleash numbers units from 1 to 100 by the hash of
 * the group and the unit.
 */
function shareOf(
  name: string,
  parameters: Fields,
  flag: string,
  note: (what: string) => void,
): ShareDocument | undefined {
  if (name !== 'flexibleRollout' && !name.startsWith('gradualRollout')) return undefined;
  const given = Number(parameters.rollout ?? parameters.percentage ?? 0);
  const percent = Number.isFinite(given) ? Math.floor(Math.min(100, Math.max(0, given))) : 0;
  const stickiness = stickinessOf(name, parameters);
  const seed = textOf(parameters.groupId) ?? '';
  const share = { hash: 'unleash' as const, ranges: [[0, percent * 1_000] as [number, number]] };
  switch (stickiness) {
    case 'default':
      // Without a user and a session, Unleash decides at random for each evaluation.
      if (percent === 100) return undefined;
      note('a context without user and session is included at random in Unleash, and excluded here');
      return { ...share, seed, fallback_bucket_by: ['sessionId'] };
    case 'random':
      if (percent === 100) return undefined;
      note(atRandom);
      return { ...share, seed: seed === '' ? flag : seed, fallback_bucket_by: ['sessionId'] };
    case 'userId':
      return { ...share, seed };
    default:
      return { ...share, seed, bucket_by: stickiness };
  }
}

function stickinessOf(name: string, parameters: Fields): string {
  if (name === 'gradualRolloutUserId') return 'userId';
  if (name === 'gradualRolloutSessionId') return 'sessionId';
  if (name === 'gradualRolloutRandom') return 'random';
  return textOf(parameters.stickiness) ?? 'default';
}
