import { countOf } from '../../ui/format/index.ts';
import { describeClauses, describeServe, listValues, servedText } from './describe.ts';
import type { Draft, RuleDraft, Serve } from './draft.ts';
import { percentText, TOTAL } from './weights.ts';

/** Whom a change reaches, and what becomes of them. */
export interface Affected {
  who: string;
  what: string;
  /** It reaches most or all of those who are served. */
  wide: boolean;
}

/** From half of the units on, a change is one for everybody. */
const WIDE = TOTAL / 2;

/** Who gets something else than before, in the order in which an evaluation meets them. Nobody: an empty list. */
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
          ? `who gets ${servedText(before.offVariant)} now is served by targets, rules, and the default: ${describeServe(after.fallthrough)}`
          : `gets ${servedText(after.offVariant)}, whatever targets and rules say`,
        wide: true,
      },
    ];
  return [...targetsAffected(before, after), ...rulesAffected(before, after), ...elseAffected(before, after)];
}

function becomes(from: string, to: string): string {
  return `gets ${to} in place of ${from}`;
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

/** The first target that lists a unit decides. */
function variantsOfTargets({ targets }: Draft): Map<string, string> {
  const found = new Map<string, string>();
  for (const { variant, attribute, values } of targets)
    for (const value of values) {
      const unit = `${attribute}\n${value}`;
      if (!found.has(unit)) found.set(unit, variant);
    }
  return found;
}

function rulesAffected(before: Draft, after: Draft): Affected[] {
  const affected: Affected[] = [];
  const note = (rule: RuleDraft, what: string) =>
    affected.push({
      who: `Whoever matches ${rule.description === '' ? '' : `“${rule.description}”: `}${describeClauses(rule.clauses)}`,
      what,
      wide: rule.clauses.length === 0,
    });
  const old = new Map(before.rules.map((rule) => [rule.id, rule]));
  const kept = new Set(after.rules.map((rule) => rule.id));
  const gone = before.rules.filter((rule) => !kept.has(rule.id));
  // A rule that is written anew for the same people is no other rule to them, but its buckets are new.
  const successorOf = (rule: RuleDraft) => {
    const index = gone.findIndex((other) => describeClauses(other.clauses) === describeClauses(rule.clauses));
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
        note(rule, `is divided anew: ${describeServe(rule.serve)}`);
      else noteServe(rule, twin.serve);
    } else if (describeClauses(was.clauses) !== describeClauses(rule.clauses))
      note(rule, `gets ${describeServe(rule.serve)}; so far that was for ${describeClauses(was.clauses)}`);
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
      who: 'Whoever matches several rules',
      what: 'is served by the one that comes first now',
      wide: false,
    });
  return affected;
}

function elseAffected(before: Draft, after: Draft): Affected[] {
  const { total, text } = moves(before.fallthrough, after.fallthrough);
  return total === 0 ? [] : [{ who: 'Everybody else', what: text, wide: total >= WIDE }];
}

/**
 * Which share of the units gets something else. Exact: the same salt puts a unit at the same place on the line of
 * buckets, so what changes is where the two divisions of that line differ.
 */
export function moves(before: Serve, after: Serve): { total: number; text: string } {
  const [from, to] = [cuts(before), cuts(after)];
  if (bucketsOf(before) !== bucketsOf(after) && from.length > 1 && to.length > 1)
    return { total: TOTAL, text: `is divided anew: ${describeServe(after)}` };
  const moved = new Map<string, number>();
  let total = 0;
  for (const a of from)
    for (const b of to) {
      const share = Math.min(a.to, b.to) - Math.max(a.from, b.from);
      if (share <= 0 || a.variant === b.variant) continue;
      const what = `from ${a.variant} to ${b.variant}`;
      moved.set(what, (moved.get(what) ?? 0) + share);
      total += share;
    }
  const text = [...moved].map(([what, share]) => `${percentText(share)}% ${what}`).join(', ');
  return { total, text: `changes: ${text}` };
}

function bucketsOf(serve: Serve): string {
  return serve.kind === 'split' ? `${serve.bucketBy.trim()}\n${serve.seed.trim()}` : '';
}

function cuts(serve: Serve): { variant: string; from: number; to: number }[] {
  if (serve.kind === 'variant') return [{ variant: servedText(serve.variant), from: 0, to: TOTAL }];
  let end = 0;
  return serve.weights
    .filter(({ weight }) => weight > 0)
    .map(({ variant, weight }) => {
      const from = end;
      end += weight;
      return { variant, from, to: end };
    });
}
