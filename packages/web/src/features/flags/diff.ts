import { describeServe, describeWhom, listValues, servedText } from './describe.ts';
import type { Draft, RuleDraft, TargetDraft } from './draft.ts';

/** One difference between two states of a targeting, in words. Null means absent before or after. */
export interface Change {
  what: string;
  before: string | null;
  after: string | null;
}

/** All differences between two states, in evaluation order. */
export function diffDrafts(before: Draft, after: Draft): Change[] {
  return [
    ...changed('State', before.enabled ? 'on' : 'off', after.enabled ? 'on' : 'off'),
    ...changed('While off', servedText(before.offVariant), servedText(after.offVariant)),
    ...diffTargets(before.targets, after.targets),
    ...diffRules(before.rules, after.rules),
    ...changed('Everybody else', describeServe(before.fallthrough), describeServe(after.fallthrough)),
  ];
}

function changed(what: string, before: string | null, after: string | null): Change[] {
  return before === after ? [] : [{ what, before, after }];
}

function diffTargets(before: readonly TargetDraft[], after: readonly TargetDraft[]): Change[] {
  const old = groupTargets(before);
  const now = groupTargets(after);
  const changes: Change[] = [];
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    const had = old.get(name) ?? new Set<string>();
    const has = now.get(name) ?? new Set<string>();
    const removed = [...had].filter((value) => !has.has(value));
    const added = [...has].filter((value) => !had.has(value));
    if (removed.length > 0 || added.length > 0) {
      changes.push({
        what: `Targets for ${name}`,
        before: removed.length > 0 ? `without ${listValues(removed)}` : null,
        after: added.length > 0 ? `with ${listValues(added)}` : null,
      });
    }
  }
  return changes;
}

/** Target values by `variant`, or `variant by attribute` where it is not the targeting key. */
function groupTargets(targets: readonly TargetDraft[]): Map<string, Set<string>> {
  const groups = new Map<string, Set<string>>();
  for (const { variant, attribute, contextKind, values } of targets) {
    const by = [contextKind, attribute].filter((part) => part !== undefined && part !== '').join(' ');
    const name = by === '' ? variant : `${variant} by ${by}`;
    const group = groups.get(name) ?? new Set<string>();
    for (const value of values) group.add(value);
    groups.set(name, group);
  }
  return groups;
}

function ruleText(rule: RuleDraft): string {
  return `${rule.description === '' ? '' : `${rule.description}: `}if ${describeWhom(rule)}, serve ${describeServe(rule.serve)}`;
}

function diffRules(before: readonly RuleDraft[], after: readonly RuleDraft[]): Change[] {
  const changes: Change[] = [];
  const kept = new Map(after.filter((rule) => rule.id !== undefined).map((rule) => [rule.id, rule]));
  before.forEach((rule, index) => {
    if (!kept.has(rule.id)) changes.push({ what: `Rule ${index + 1}`, before: ruleText(rule), after: null });
  });
  const oldById = new Map(before.map((rule, index) => [rule.id, { rule, index }]));
  after.forEach((rule, index) => {
    const old = rule.id === undefined ? undefined : oldById.get(rule.id);
    if (!old) changes.push({ what: `Rule ${index + 1}`, before: null, after: ruleText(rule) });
    else changes.push(...changed(`Rule ${index + 1}`, ruleText(old.rule), ruleText(rule)));
  });
  changes.push(...orderChange(before, after));
  return changes;
}

/** The first match decides, so a different order of the same rules is also a change. */
function orderChange(before: readonly RuleDraft[], after: readonly RuleDraft[]): Change[] {
  const beforeIds = before.map((rule) => rule.id);
  const afterIds = after.map((rule) => rule.id).filter((id) => id !== undefined);
  const old = beforeIds.filter((id) => afterIds.includes(id ?? ''));
  const now = afterIds.filter((id) => beforeIds.includes(id));
  if (old.join('\n') === now.join('\n')) return [];
  const places = (ids: readonly (string | undefined)[]) => ids.map((id) => beforeIds.indexOf(id) + 1).join(', ');
  return [{ what: 'Order of rules', before: places(old), after: places(now) }];
}
