import { wrongMetadata } from '@fanion/flag-engine';
import { type Fields, fieldsOf, isFields, isScalar, isSet, listOf, textOf } from '../../files/fields.ts';
import { NoEqual, NotThisFormat, Report } from '../../files/report.ts';
import type { EnvironmentDocument, FlagDocument, RuleDocument, ServeDocument } from '../document.ts';
import type { Conversion } from './conversion.ts';
import { alternatives, always, type Expression } from './expression.ts';
import { withoutInnerConditions } from './flagd-division.ts';
import { conditionOf, variableOf } from './flagd-logic.ts';
import { UNNAMED_ENVIRONMENT } from './launchdarkly.ts';
import { createKeys, freeKey, kindOf } from './naming.ts';
import { weightsOf } from './weights.ts';

/** flagd: a flag definition file (`{"flags": …, "$evaluators": …}`), which describes one environment. */
export function convertFlagd(content: unknown): Conversion {
  const file = fieldsOf(content);
  if (!isFields(file.flags)) throw new NotThisFormat('a flagd file needs an object "flags"');
  const report = new Report();
  const keys = createKeys('flag', true, report);
  const evaluators = fieldsOf(file.$evaluators);
  const flags = Object.entries(file.flags).flatMap(([name, flag]) => {
    const converted = convertFlag(name, fieldsOf(flag), evaluators, report);
    if (converted === undefined) return [];
    const metadata = metadataOf({ ...fieldsOf(file.metadata), ...fieldsOf(fieldsOf(flag).metadata) }, name, report);
    return [{ ...converted, ...metadata, key: keys.of(name) }];
  });
  return { flags, segments: [], notes: report.notes };
}

function convertFlag(name: string, flag: Fields, evaluators: Fields, report: Report): FlagDocument | undefined {
  const where = `flag ${name}`;
  const entries = Object.entries(fieldsOf(flag.variants));
  const values = entries.map(([, value]) => value);
  const kind = kindOf(values, where, report);
  if (kind === undefined) return undefined;
  const taken = new Set<string>();
  const keyOfVariant = new Map(entries.map(([variant]) => [variant, freeKey(variant, taken)]));
  const variants = entries.map(([variant, value]) => ({ key: keyOfVariant.get(variant) ?? variant, value }));
  for (const [variant, key] of keyOfVariant)
    if (key !== variant) report.changed(where, `its variant ${variant} is renamed to ${key}`);
  const fallback = defaultVariantOf(flag, where, keyOfVariant, report);
  const environment: EnvironmentDocument = {
    enabled: flag.state !== 'DISABLED',
    // A disabled flag serves nothing in flagd: callers use the default in their code.
    off_variant: null,
    fallthrough: { variant: fallback },
    targets: [],
    rules: [],
  };
  const targeting = isSet(flag.targeting)
    ? report.attempt(where, 'its targeting is not imported, and everybody gets the default variant', () =>
        targetingOf(flag.targeting, { name, where, keyOfVariant, fallback, evaluators, report }),
      )
    : undefined;
  return {
    key: name,
    name,
    description: '',
    kind,
    variants,
    ...(fallback !== null && { default_variant: fallback }),
    off_variant: null,
    tags: [],
    temporary: false,
    prerequisites: [],
    environments: { [UNNAMED_ENVIRONMENT]: { ...environment, ...targeting } },
  };
}

/** What the flag's answers carry: its own metadata, and that of the file. */
function metadataOf(fields: Fields, name: string, report: Report): Pick<FlagDocument, 'metadata'> {
  const kept: Record<string, string | number | boolean> = {};
  for (const [field, value] of Object.entries(fields)) {
    if (isScalar(value) && wrongMetadata({ ...kept, [field]: value }) === undefined) kept[field] = value;
    else report.lost(`flag ${name}`, `its metadata ${field} is not imported: ${whyNot(field, value)}`);
  }
  return Object.keys(kept).length === 0 ? {} : { metadata: kept };
}

function whyNot(field: string, value: unknown): string {
  return isScalar(value) ? (wrongMetadata({ [field]: value }) ?? 'a flag has too many fields') : 'it is not a scalar';
}

/** Null when none is named: callers use the default in their code when nothing else is served. */
function defaultVariantOf(
  flag: Fields,
  where: string,
  keys: ReadonlyMap<string, string>,
  report: Report,
): string | null {
  const name = textOf(flag.defaultVariant);
  if (name === undefined) return null;
  const key = keys.get(name);
  if (key !== undefined) return key;
  report.lost(where, `its default variant "${name}" does not exist; callers use the default in their code instead`);
  return null;
}

interface Targeted {
  readonly name: string;
  readonly where: string;
  readonly keyOfVariant: ReadonlyMap<string, string>;
  /** The default variant; null for the code default. */
  readonly fallback: string | null;
  readonly evaluators: Fields;
  readonly report: Report;
}

/** One path through the tree: its conditions, and what it serves. */
interface Branch {
  readonly when: Expression;
  readonly serve: ServeDocument;
}

/** `if` is a list of rules; its last part, if it has no condition, is the fallthrough. */
function targetingOf(logic: unknown, flag: Targeted): Pick<EnvironmentDocument, 'rules' | 'fallthrough'> {
  const rules: RuleDocument[] = [];
  for (const { when, serve } of branchesOf(logic, flag)) {
    const ways = alternatives(when);
    for (const clauses of ways) {
      if (clauses.length === 0 && serve.rollout === undefined) return { rules, fallthrough: serve };
      rules.push({ clauses, ...serve });
    }
    // A context that a division cannot place gets the default variant, not the following rules.
    if (serve.rollout === undefined) continue;
    for (const clauses of ways) {
      if (clauses.length === 0) return { rules, fallthrough: { variant: flag.fallback } };
      rules.push({ clauses, variant: flag.fallback });
    }
  }
  return { rules, fallthrough: { variant: flag.fallback } };
}

/** In order: the first branch whose condition matches decides. */
function branchesOf(logic: unknown, flag: Targeted): Branch[] {
  const resolved = withoutInnerConditions(dereferenced(logic, flag.evaluators));
  if (isFields(resolved) && resolved.if !== undefined) {
    const parts = listOf(resolved.if);
    const tools = {
      resolve: (part: unknown) => dereferenced(part, flag.evaluators),
      note: (what: string) => flag.report.changed(flag.where, what),
      noteOnce: (what: string) => flag.report.changed('all conditions', what),
    };
    const branches: Branch[] = [];
    for (let i = 0; i < parts.length; i += 2) {
      const isLast = i + 1 === parts.length;
      const when = isLast ? always : conditionOf(parts[i], tools);
      const inner = branchesOf(isLast ? parts[i] : parts[i + 1], flag);
      branches.push(...inner.map((branch): Branch => ({ when: both(when, branch.when), serve: branch.serve })));
    }
    // Without an else part, the default variant, so that a nested `if` does not fall through to the following rules.
    if (parts.length % 2 === 0) branches.push({ when: always, serve: { variant: flag.fallback } });
    return branches;
  }
  return [{ when: always, serve: serveOf(resolved, flag) }];
}

function both(a: Expression, b: Expression): Expression {
  return { kind: 'all', of: [a, b] };
}

function dereferenced(logic: unknown, evaluators: Fields): unknown {
  const name = isFields(logic) ? textOf(logic.$ref) : undefined;
  if (name === undefined) return logic;
  if (!Object.hasOwn(evaluators, name)) throw new NoEqual(`unknown evaluator ${name}`);
  return evaluators[name];
}

/** A variant's name (a boolean for "true" and "false"), null for the default, or a division. */
function serveOf(result: unknown, flag: Targeted): ServeDocument {
  if (result === null || result === undefined) return { variant: flag.fallback };
  if (typeof result === 'string' || typeof result === 'boolean') return { variant: variantOf(String(result), flag) };
  if (isFields(result) && Array.isArray(result.fractional)) return fractionOf(result.fractional, flag);
  throw new NoEqual(`its targeting gives ${JSON.stringify(result)?.slice(0, 80)}, which is not a variant`);
}

function variantOf(name: string, { keyOfVariant }: Targeted): string {
  const key = keyOfVariant.get(name);
  if (key === undefined) throw new NoEqual(`its targeting gives "${name}", which is not a variant`);
  return key;
}

/** A division keeps flagd's hash, so that every unit keeps its variant. */
function fractionOf(parts: readonly unknown[], flag: Targeted): ServeDocument {
  const [first] = parts;
  const isBucketed = !Array.isArray(first);
  const unit = isBucketed ? unitOf(first, flag) : { seed: flag.name };
  const shares = (isBucketed ? parts.slice(1) : parts).map((part) => shareOf(part, flag));
  const total = shares.reduce((sum, { buckets }) => sum + buckets, 0);
  // When all weights are 0, no unit is divided.
  if (total === 0) return { variant: flag.fallback };
  const divisor = shares.reduce((common, { buckets }) => greatestDivisor(common, buckets), 0);
  const buckets = total / divisor;
  if (buckets > MAX_BUCKETS)
    throw new NoEqual(`the weights of its division sum to ${total}; the maximum is ${MAX_BUCKETS}`);
  const weights = weightsOf(
    shares.map((share) => ({ ...share, buckets: share.buckets / divisor })),
    buckets,
  );
  flag.report.changed(
    'all divisions',
    'units are divided as in flagd versions with whole buckets; for an older flagd set "hash" to flagd_v1',
  );
  return { rollout: { ...unit, hash: 'flagd', buckets, weights, missing: 'skip' } };
}

/** The engine divides a line into at most this many places. */
const MAX_BUCKETS = 100_000;

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}

/** `["variant", weight]`; a missing weight counts as 1, a negative one as 0. */
function shareOf(part: unknown, flag: Targeted): { variant: string; buckets: number } {
  const [name, weight] = listOf(part);
  if (!Array.isArray(part) || part.length > 2)
    throw new NoEqual('a part of its division is not a variant and a weight');
  if (isFields(name)) throw new NoEqual('a variant of its division is computed');
  const variant = name === null ? flag.fallback : variantOf(String(name), flag);
  if (variant === null) throw new NoEqual('a part of its division serves the default in the code');
  if (part.length === 1) return { variant, buckets: 1 };
  if (isFields(weight)) throw new NoEqual(`the weight of ${variant} is computed`);
  if (!Number.isInteger(weight)) throw new NoEqual(`the weight of ${variant} is not a whole number`);
  return { variant, buckets: Math.max(0, Number(weight)) };
}

/** What flagd hashes: a text followed by the value of an attribute, usually a `cat` of the flag's key and the attribute. */
function unitOf(expression: unknown, { name, report, where }: Targeted): { bucket_by?: string; seed: string } {
  const cat = isFields(expression) ? listOf(expression.cat) : [];
  const parts = cat.length > 0 ? cat : [expression];
  const last = variableOf(parts.at(-1));
  if (last === undefined || last.startsWith('$flagd.'))
    throw new NoEqual('it buckets by something other than an attribute');
  const seed = parts.slice(0, -1).map((part) => {
    if (variableOf(part) === '$flagd.flagKey') return name;
    if (typeof part === 'string' || typeof part === 'number') return String(part);
    throw new NoEqual('it buckets by something other than a text followed by an attribute');
  });
  if (cat.length > 0)
    report.changed(where, `contexts without ${last} all share one bucket in flagd; here they get the default variant`);
  return { ...(last !== 'targetingKey' && { bucket_by: last }), seed: seed.join('') };
}
