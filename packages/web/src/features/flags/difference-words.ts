import type { Difference } from '@fanion/contract';
import { formatExact } from '../../ui/format/index.ts';
import { describeClauses, listValues, servedText } from './describe.ts';
import type { Change } from './diff.ts';
import type { Scalar, Targeting } from './draft.ts';
import { valueText } from './variant-values.ts';
import { percentText } from './weights.ts';

const FIELDS: Readonly<Record<string, string>> = {
  enabled: 'State',
  default_variant: 'Default variant',
  name: 'Name',
  description: 'Description',
  tags: 'Tags',
  temporary: 'Temporary',
  metadata: 'Metadata',
  client_visible: 'Visible to client keys',
  archived: 'Archived',
  variants: 'Variants',
  targets: 'Targets',
  rules: 'Rules',
  included: 'Included keys',
  excluded: 'Excluded keys',
  ramp: 'Ramp',
};

/** The names of rules by id: differences have only the ids. */
export function ruleNames(targeting: Targeting | undefined): ReadonlyMap<string, string> {
  return new Map(targeting?.rules.map((rule, index) => [rule.id, rule.description || `${index + 1}`]));
}

/**
 * Describes the server's differences in words, in the same form as the page's own differences. A rule or "everybody
 * else" is one line, however many weights changed.
 *
 * @param ruleNames descriptions by rule id, for rules that the differences only refer to
 */
export function describeDifferences(
  differences: readonly Difference[],
  ruleNames: ReadonlyMap<string, string> = new Map(),
): Change[] {
  const changes = new Map<string, Change>();
  for (const difference of differences) {
    const change = describeOne(difference, ruleNames);
    const known = changes.get(change.what);
    changes.set(change.what, known ? { ...change, ...join(known, change) } : change);
  }
  return [...changes.values()];
}

function join(a: Change, b: Change): Pick<Change, 'before' | 'after'> {
  const both = (x: string | null, y: string | null) => (x === null ? y : y === null ? x : `${x}, ${y}`);
  return { before: both(a.before, b.before), after: both(a.after, b.after) };
}

/** A rule's id may contain dots, so the names of rule fields mark where the id ends. */
const RULE = /^rules\.(.+?)(?:\.(description|clauses|variant|rollout(?:\..+)?))?$/;
const TARGET = /^targets\.(.+?)(?:\.values)?$/;
const VARIANT = /^variants\.(.+?)(?:\.(value|name))?$/;
const PREREQUISITE = /^prerequisites\.(.+?)(?:\.variants)?$/;

function describeOne(difference: Difference, ruleNames: ReadonlyMap<string, string>): Change {
  const { path, before, after } = difference;
  const words = (what: string, text: (value: unknown) => string) => ({
    what,
    before: before === undefined ? null : text(before),
    after: after === undefined ? null : text(after),
  });
  if (path === 'rules' && difference.kind === 'moved')
    return words('Order of rules', (ids) =>
      list(ids)
        .map((id) => ruleName(String(id), ruleNames))
        .join(', '),
    );
  const [, ruleId, part] = RULE.exec(path) ?? [];
  if (ruleId !== undefined) {
    const name = `Rule ${nameOfRule(difference, ruleId, ruleNames)}`;
    if (part === undefined) return words(name, ruleText);
    if (part === 'description') return words(`${name}: description`, valueText);
    if (part === 'clauses') return words(`${name}: conditions`, (clauses) => describeClauses(clausesOf(clauses)));
    return words(`${name}: serves`, (value) => serveText(part, value));
  }
  if (path.startsWith('fallthrough'))
    return words('Everybody else', (value) => serveText(path.slice('fallthrough.'.length), value));
  const [, target] = TARGET.exec(path) ?? [];
  if (target !== undefined)
    return members(`Targets for ${target}`, difference, (value) => listValues(targetValues(value)));
  const [, variant, field] = VARIANT.exec(path) ?? [];
  if (variant !== undefined)
    return words(`Variant ${variant}${field === 'name' ? ': name' : ''}`, (value) =>
      valueText(field === undefined ? record(value).value : value),
    );
  const [, flag] = PREREQUISITE.exec(path) ?? [];
  if (flag !== undefined) return members(`Prerequisite ${flag}`, difference, requiredText);
  if (path === 'off_variant')
    return words('While off', (value) => (value === null ? servedText(null) : anyText(value)));
  if (path === 'enabled') return words('State', (value) => (value === true ? 'on' : 'off'));
  if (path === 'ramp') return words('Ramp', rampText);
  if (path === 'rules') return words('Rules', segmentRulesText);
  return members(FIELDS[path] ?? path, difference, anyText);
}

/** For lists of plain values, the added and removed values; otherwise, the values before and after. */
function members(what: string, { kind, ...difference }: Difference, text: (value: unknown) => string): Change {
  if (kind !== 'members')
    return {
      what,
      before: difference.before === undefined ? null : text(difference.before),
      after: difference.after === undefined ? null : text(difference.after),
    };
  const some = (values: unknown, count: number | undefined, word: string) => {
    const shown = list(values).filter(isScalar);
    const total = count ?? shown.length;
    if (total === 0) return null;
    return `${word} ${total > shown.length || total > 6 ? `${formatExact(total)} keys: ${listValues(shown.slice(0, 3))}, …` : listValues(shown)}`;
  };
  return {
    what,
    before: some(difference.before, difference.removed_count, 'without'),
    after: some(difference.after, difference.added_count, 'with'),
  };
}

function ruleName(id: string, names: ReadonlyMap<string, string>): string {
  const name = names.get(id);
  return name === undefined || name === '' ? id.slice(0, 8) : `“${name}”`;
}

function nameOfRule({ before, after }: Difference, id: string, names: ReadonlyMap<string, string>): string {
  const own = record(after).description ?? record(before).description;
  return typeof own === 'string' && own !== '' ? `“${own}”` : ruleName(id, names);
}

function ruleText(rule: unknown): string {
  const { clauses, variant, rollout } = record(rule);
  const served = rollout === undefined ? serveText('variant', variant) : serveText('rollout', rollout);
  return `if ${describeClauses(clausesOf(clauses))}, serve ${served}`;
}

function segmentRulesText(rules: unknown): string {
  const texts = list(rules).map((rule) => describeClauses(clausesOf(record(rule).clauses)));
  return texts.length === 0 ? 'none' : texts.join('; or ');
}

/** `part` is the path below the serve: `variant`, `rollout`, `rollout.weights.red.weight` … */
function serveText(part: string, value: unknown): string {
  const [, share] = /^rollout\.weights\.(.+)\.weight$/.exec(part) ?? [];
  if (share !== undefined) return `${percentText(Number(value))}% ${share}`;
  if (part.startsWith('rollout.weights.')) return shareText(value);
  switch (part) {
    case 'variant':
      return value === null ? servedText(null) : anyText(value);
    case 'rollout.weights':
      return list(value)
        .map((entry) => (isScalar(entry) ? String(entry) : shareText(entry)))
        .join(', ');
    case 'rollout.bucket_by':
      return `by ${String(value)}`;
    case 'rollout.seed':
      return `seed ${String(value)}`;
    case 'rollout.tracked':
      return value === true ? 'tracked' : 'not tracked';
    case 'rollout': {
      const { weights, bucket_by, seed } = record(value);
      return [
        ...list(weights).map(shareText),
        ...(bucket_by === undefined ? [] : [`by ${String(bucket_by)}`]),
        ...(seed === undefined ? [] : [`seed ${String(seed)}`]),
      ].join(', ');
    }
    default:
      return anyText(value);
  }
}

function shareText(weight: unknown): string {
  const { variant, weight: share } = record(weight);
  return `${percentText(Number(share))}% ${String(variant)}`;
}

function requiredText(value: unknown): string {
  const variants = Array.isArray(value) ? value : list(record(value).variants);
  return `serves ${variants.map(String).join(' or ')}`;
}

function rampText(value: unknown): string {
  if (value === null) return 'none';
  const { variant, steps } = record(value);
  const shares = list(steps).map(
    (step) => `${percentText(Number(record(step).weight))}% for ${String(record(step).hold)}`,
  );
  return `${String(variant)}: ${shares.join(', ')}`;
}

function targetValues(value: unknown): Scalar[] {
  return (Array.isArray(value) ? value : list(record(value).values)).filter(isScalar);
}

function clausesOf(value: unknown) {
  return list(value).map((clause, index) => {
    const { attribute, op, values, negate } = record(clause);
    return {
      uid: String(index),
      attribute: typeof attribute === 'string' ? attribute : '',
      op: String(op),
      values: list(values).filter(isScalar),
      negate: negate === true,
    };
  });
}

function anyText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return Array.isArray(value) ? value.map(valueText).join(', ') : valueText(value);
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
