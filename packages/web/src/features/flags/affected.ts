import { movedShares } from '@fanion/flag-engine';
import { countOf } from '../../ui/format/index.ts';
import { describeServe, describeWhom, listValues, servedText } from './describe.ts';
import { type Draft, fromServe, type RuleDraft, type Serve } from './draft.ts';
import { percentText, TOTAL } from './weights.ts';

/** A group of users that a change affects, and what changes for them. */
export interface Affected {
  who: string;
  what: string;
  /** The change affects most or all users. */
  wide: boolean;
}

/** A change that moves at least half of the units counts as wide. */
const WIDE = TOTAL / 2;

/** Who gets a different variant than before, in evaluation order. Empty if nobody does. */
export function affectedBy(before: Draft, after: Draft): Affected[] {
  if (!before.enabled && !after.enabled)
    return before.offVariant === after.offVariant
      ? []
      : [{ who: 'Everybody', what: becomes(servedText(before.offVariant), servedText(after.offVariant)), wide: true }];
  if (before.enabled !== after.enabled)
    return [
      {
        who: 'Everybody',
        what: after.enabled
          ? `who gets ${servedText(before.offVariant)} now is served by targets, rules and the default: ${describeServe(after.fallthrough)}`
          : `gets ${servedText(after.offVariant)}, regardless of targets and rules`,
        wide: true,
      },
    ];
  return [...targetsAffected(before, after), ...rulesAffected(before, after), ...elseAffected(before, after)];
}

function becomes(from: string, to: string): string {
  return `gets ${to} instead of ${from}`;
}

function targetsAffected(before: Draft, after: Draft): Affected[] {
  const was = variantsOfTargets(before);
  const is = variantsOfTargets(after);
  const groups = new Map<string, string[]>();
  for (const unit of new Set([...was.keys(), ...is.keys()])) {
    const [from, to] = [was.get(unit), is.get(unit)];
    if (from === to) continue;
    const what =
      to === undefined ? `no longer gets ${from} by name` : from === undefined ? `gets ${to}` : becomes(from, to);
    groups.set(what, [...(groups.get(what) ?? []), unit.slice(unit.indexOf('\n') + 1)]);
  }
  return [...groups].map(([what, units]) => ({
    who: `${countOf(units.length, 'target')} (${listValues(units)})`,
    what,
    wide: false,
  }));
}

/** Variants by unit. The first target that lists a unit decides. */
function variantsOfTargets({ targets }: Draft): Map<string, string> {
  const found = new Map<string, string>();
  for (const { variant, attribute, contextKind = '', values } of targets)
    for (const value of values) {
      const unit = `${contextKind} ${attribute}\n${value}`;
      if (!found.has(unit)) found.set(unit, variant);
    }
  return found;
}

function rulesAffected(before: Draft, after: Draft): Affected[] {
  const affected: Affected[] = [];
  const note = (rule: RuleDraft, what: string) =>
    affected.push({
      who: `Everybody who matches ${rule.description === '' ? '' : `“${rule.description}”: `}${describeWhom(rule)}`,
      what,
      wide: rule.clauses.length === 0,
    });
  const old = new Map(before.rules.map((rule) => [rule.id, rule]));
  const kept = new Set(after.rules.map((rule) => rule.id));
  const gone = before.rules.filter((rule) => !kept.has(rule.id));
  // A rule that is deleted and recreated for the same people serves them the same, but its buckets are new.
  const successorOf = (rule: RuleDraft) => {
    const index = gone.findIndex((other) => describeWhom(other) === describeWhom(rule));
    return index < 0 ? undefined : gone.splice(index, 1)[0];
  };
  const noteServe = (rule: RuleDraft, was: Serve) => {
    const moved = moves(was, rule.serve);
    if (moved.total > 0) note(rule, moved.text);
  };
  for (const rule of after.rules) {
    const was = rule.id === undefined ? undefined : old.get(rule.id);
    if (was === undefined) {
      const twin = successorOf(rule);
      if (twin === undefined) note(rule, `gets ${describeServe(rule.serve)}`);
      else if (twin.serve.kind === 'split' && rule.serve.kind === 'split' && rule.serve.seed.trim() === '')
        note(rule, `is split again: ${describeServe(rule.serve)}`);
      else noteServe(rule, twin.serve);
    } else if (describeWhom(was) !== describeWhom(rule))
      note(rule, `gets ${describeServe(rule.serve)}; before, the rule was for ${describeWhom(was)}`);
    else noteServe(rule, was.serve);
  }
  for (const rule of gone) note(rule, `no longer gets ${describeServe(rule.serve)} by this rule`);
  const order = (rules: readonly RuleDraft[], others: ReadonlySet<string | undefined>) =>
    rules
      .map(({ id }) => id)
      .filter((id) => id !== undefined && others.has(id))
      .join('\n');
  if (order(before.rules, kept) !== order(after.rules, new Set(old.keys())))
    affected.push({
      who: 'Everybody who matches several rules',
      what: 'is now served by the rule that comes first',
      wide: false,
    });
  return affected;
}

function elseAffected(before: Draft, after: Draft): Affected[] {
  const { total, text } = moves(before.fallthrough, after.fallthrough);
  return total === 0 ? [] : [{ who: 'Everybody else', what: text, wide: total >= WIDE }];
}

/**
 * The share of units that get a different variant. Exact: the same salt keeps a unit in the same bucket, and the
 * server assigns variants to buckets as `movedShares` does.
 */
export function moves(before: Serve, after: Serve): { total: number; text: string } {
  const splits = before.kind === 'split' && after.kind === 'split';
  if (splits && bucketsOf(before) !== bucketsOf(after))
    return { total: TOTAL, text: `is split again: ${describeServe(after)}` };
  const moved = movedShares(namedServe(before), namedServe(after));
  const text = moved.map(({ from, to, weight }) => `${percentText(weight)}% from ${from} to ${to}`).join(', ');
  return { total: moved.reduce((sum, { weight }) => sum + weight, 0), text: `changes: ${text}` };
}

/** Gives the code default a name here, so that units can move to and from it. */
function namedServe(serve: Serve) {
  return serve.kind === 'variant' ? { variant: servedText(serve.variant) } : fromServe(serve);
}

function bucketsOf({ bucketBy, seed, kept = {} }: Extract<Serve, { kind: 'split' }>): string {
  const { context_kind, fallback_bucket_by = [], hash = 'fanion', buckets } = kept;
  return JSON.stringify([context_kind ?? '', bucketBy.trim(), seed.trim(), hash, fallback_bucket_by, buckets ?? null]);
}
