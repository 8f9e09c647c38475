import type { EnvironmentDocument, FlagDocument, RuleDocument, ServeDocument } from '../document.ts';
import { type Conversion, NoEqual, NotThisFormat, Report } from './conversion.ts';
import { alternatives, always, type Expression } from './expression.ts';
import { conditionOf, variableOf } from './flagd-logic.ts';
import { UNNAMED_ENVIRONMENT } from './launchdarkly.ts';
import { createKeys, freeKey, kindOf } from './naming.ts';
import { type Fields, fieldsOf, isFields, isSet, listOf, numberOf, textOf } from './read.ts';
import { weightsOf } from './weights.ts';

/** flagd: a flag definition file (`{"flags": …, "$evaluators": …}`), which is one environment. */
export function convertFlagd(content: unknown): Conversion {
  const file = fieldsOf(content);
  if (!isFields(file.flags)) throw new NotThisFormat('a flagd file has an object "flags"');
  const report = new Report();
  const keys = createKeys('flag', true, report);
  const evaluators = fieldsOf(file.$evaluators);
  if (isSet(file.metadata)) report.lost('all flags', 'the metadata of the file is not taken over');
  const flags = Object.entries(file.flags).flatMap(([name, flag]) => {
    const converted = convertFlag(name, fieldsOf(flag), evaluators, report);
    return converted === undefined ? [] : [{ ...converted, key: keys.of(name) }];
  });
  return { flags, segments: [], notes: report.notes };
}

function convertFlag(name: string, flag: Fields, evaluators: Fields, report: Report): FlagDocument | undefined {
  const where = `flag ${name}`;
  const entries = Object.entries(fieldsOf(flag.variants));
  const kind = kindOf(entries.map(([, value]) => value));
  if (kind === undefined) {
    report.lost(where, 'its variants are of several types, or there are none; the flag is left out');
    return undefined;
  }
  const taken = new Set<string>();
  const keyOfVariant = new Map(entries.map(([variant]) => [variant, freeKey(variant, taken)]));
  const variants = entries.map(([variant, value]) => ({ key: keyOfVariant.get(variant) ?? variant, value }));
  for (const [variant, key] of keyOfVariant)
    if (key !== variant) report.changed(where, `its variant ${variant} is ${key}`);
  const fallback = defaultVariantOf(flag, where, keyOfVariant, report);
  if (isSet(flag.metadata)) report.lost(where, 'its metadata is not taken over');
  const environment: EnvironmentDocument = {
    enabled: flag.state !== 'DISABLED',
    // A disabled flag serves nothing in flagd: the default in the caller's code holds.
    off_variant: null,
    fallthrough: { variant: fallback },
    targets: [],
    rules: [],
  };
  const targeting = isSet(flag.targeting)
    ? report.attempt(where, 'its targeting is left out, and everybody gets the default variant', () =>
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

/** Null: none is named, and the default in the caller's code holds where nothing else is served. */
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

/** One way through the tree: its conditions, and what it serves. */
interface Branch {
  readonly when: Expression;
  readonly serve: ServeDocument;
}

/** `if` is a list of rules; its last part, where there is no condition, is the fallthrough. */
function targetingOf(logic: unknown, flag: Targeted): Pick<EnvironmentDocument, 'rules' | 'fallthrough'> {
  const rules: RuleDocument[] = [];
  for (const { when, serve } of branchesOf(logic, flag)) {
    for (const clauses of alternatives(when)) {
      if (clauses.length === 0) return { rules, fallthrough: serve };
      rules.push({ clauses, ...serve });
    }
  }
  return { rules, fallthrough: { variant: flag.fallback } };
}

/** In order: the first whose condition holds decides. */
function branchesOf(logic: unknown, flag: Targeted): Branch[] {
  const resolved = dereferenced(logic, flag.evaluators);
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
    // Without an else part, the default variant; so that an `if` within an `if` does not fall into what comes after.
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
  if (!Object.hasOwn(evaluators, name)) throw new NoEqual(`there is no evaluator ${name}`);
  return evaluators[name];
}

/** A variant's name (a boolean for "true" and "false"), null for the default, or a division. */
function serveOf(result: unknown, flag: Targeted): ServeDocument {
  if (result === null || result === undefined) return { variant: flag.fallback };
  if (typeof result === 'string' || typeof result === 'boolean') return { variant: variantOf(String(result), flag) };
  if (isFields(result) && Array.isArray(result.fractional)) return { rollout: fractionOf(result.fractional, flag) };
  throw new NoEqual(`its targeting gives ${JSON.stringify(result)?.slice(0, 80)}, which is no variant`);
}

function variantOf(name: string, { keyOfVariant }: Targeted): string {
  const key = keyOfVariant.get(name);
  if (key === undefined) throw new NoEqual(`its targeting gives "${name}", which is no variant`);
  return key;
}

function fractionOf(parts: readonly unknown[], flag: Targeted) {
  const [first] = parts;
  const isBucketed = !Array.isArray(first);
  const bucket_by = isBucketed ? bucketOf(first, flag) : undefined;
  const shares = (isBucketed ? parts.slice(1) : parts).map((part) => {
    const [variant, share] = listOf(part);
    return { variant: variantOf(String(variant), flag), share: numberOf(share) ?? 1 };
  });
  const weights = weightsOf(shares);
  if (weights.length === 0) throw new NoEqual('the parts of its division are all 0');
  flag.report.changed(flag.where, 'units are divided anew: flagd buckets by another hash');
  return { ...(bucket_by !== undefined && { bucket_by }), weights };
}

/** An attribute, or flagd's usual `cat` of the flag's key and an attribute. */
function bucketOf(expression: unknown, { report, where }: Targeted): string | undefined {
  const cat = isFields(expression) ? listOf(expression.cat) : [];
  const variables = (cat.length > 0 ? cat : [expression]).flatMap((part) => {
    const name = variableOf(part);
    return name === undefined || name === '$flagd.flagKey' ? [] : [name];
  });
  const [only] = variables;
  if (only === undefined || variables.length > 1) throw new NoEqual('it buckets by something that is no attribute');
  if (cat.length > 0) report.changed(where, `its division is by ${only} alone`);
  return only === 'targetingKey' ? undefined : only;
}
