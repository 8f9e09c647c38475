import type { EnvironmentDocument, FlagDocument, RuleDocument, SegmentDocument, ServeDocument } from '../document.ts';
import { type Conversion, NoEqual, NotThisFormat, Report } from './conversion.ts';
import { alternatives, type Expression } from './expression.ts';
import { conditionOf, type Groups, savedGroupsOf } from './growthbook-condition.ts';
import { UNNAMED_ENVIRONMENT } from './launchdarkly.ts';
import { createKeys, type Keys, type Kind, keyOf, kindOf, variantsOfValues } from './naming.ts';
import { type Fields, fieldsListOf, fieldsOf, isFields, isSet, listOf, numberOf, textOf, textsOf } from './read.ts';
import { weightsOf } from './weights.ts';

/**
 * GrowthBook: what its SDKs download (`{features: {key: …}, savedGroups}`, one environment), and the list of features
 * of its REST API (`{features: [{id, environments, …}]}`).
 */
export function convertGrowthBook(content: unknown): Conversion {
  const file = fieldsOf(content);
  const report = new Report();
  const keys = { flags: createKeys('flag', true, report), segments: createKeys('segment', false, report) };
  const features = featuresOf(file);
  for (const { name } of features) keys.flags.of(name);
  if (isSet(file.experiments)) report.lost('all flags', 'experiments of pages (visual, redirects) are not taken over');
  const segments = savedGroupsOf(fieldsOf(file.savedGroups), keys.segments, report);
  const documentsById = new Map(segments.map(({ id, document }) => [id, document]));
  const groups: Groups = { of: (id) => documentsById.get(id), note: (what) => report.changed('all conditions', what) };
  const context = { keys: keys.flags, groups, report };
  const flags = features.flatMap((feature) => convertFeature(feature, context) ?? []);
  const documents: SegmentDocument[] = segments.map(({ document }) => document);
  return { flags: withParents(flags, report), segments: documents, notes: report.notes };
}

interface Feature {
  readonly name: string;
  readonly fields: Fields;
  readonly kind: Kind | undefined;
  readonly defaultValue: unknown;
  readonly environments: readonly FeatureEnvironment[];
}

interface FeatureEnvironment {
  readonly key: string;
  readonly enabled: boolean;
  readonly defaultValue: unknown;
  readonly rules: readonly Fields[];
}

interface Context {
  readonly keys: Keys;
  readonly groups: Groups;
  readonly report: Report;
}

function featuresOf(file: Fields): Feature[] {
  if (isSet(file.encryptedFeatures))
    throw new NotThisFormat('its features are encrypted: export them from an SDK connection without encryption');
  if (Array.isArray(file.features)) return fieldsListOf(file.features).map(managedFeature);
  if (!isFields(file.features)) throw new NotThisFormat('a GrowthBook file has "features"');
  return Object.entries(file.features).map(([name, given]) => {
    const fields = fieldsOf(given);
    const { defaultValue } = fields;
    const environment = { key: UNNAMED_ENVIRONMENT, enabled: true, defaultValue, rules: fieldsListOf(fields.rules) };
    return { name, fields, kind: undefined, defaultValue, environments: [environment] };
  });
}

/** The REST API writes every value as text. */
function managedFeature(fields: Fields): Feature {
  const valueType = textOf(fields.valueType);
  const kind = valueType === 'boolean' || valueType === 'number' || valueType === 'json' ? valueType : 'string';
  const readValue = (text: unknown) => parsedValue(text, kind);
  const defaultValue = readValue(fields.defaultValue);
  const environments = Object.entries(fieldsOf(fields.environments)).map(([key, given]) => {
    const environment = fieldsOf(given);
    const own = environment.defaultValue === undefined ? defaultValue : readValue(environment.defaultValue);
    const rules = fieldsListOf(environment.rules).map((rule) => managedRule(rule, readValue));
    return { key, enabled: environment.enabled === true, defaultValue: own, rules };
  });
  return { name: textOf(fields.id) ?? '', fields, kind, defaultValue, environments };
}

function parsedValue(text: unknown, kind: Kind): unknown {
  if (kind === 'string' || typeof text !== 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A rule of the REST API in the form of the SDKs. */
function managedRule(rule: Fields, readValue: (text: unknown) => unknown): Fields {
  const { type, value, values, variations, condition, prerequisites, ...rest } = rule;
  const parents = fieldsListOf(prerequisites).map((parent) => ({
    id: parent.id,
    condition: parsedValue(parent.condition, 'json'),
  }));
  const conditions = {
    ...(isSet(condition) && { condition: parsedValue(condition, 'json') }),
    ...(parents.length > 0 && { parentConditions: parents }),
  };
  if (type === 'force' || type === 'rollout') return { ...rest, ...conditions, type, force: readValue(value) };
  const parts = [...fieldsListOf(variations), ...fieldsListOf(values)];
  return {
    ...rest,
    ...conditions,
    type,
    variations: parts.map((part) => readValue(part.value)),
    ...(parts.some((part) => part.weight !== undefined) && {
      weights: parts.map((part) => numberOf(part.weight) ?? 0),
    }),
  };
}

function convertFeature(feature: Feature, { keys, groups, report }: Context): FlagDocument | undefined {
  const { name, fields, environments } = feature;
  const where = `flag ${name}`;
  if (fields.archived === true) {
    report.lost(where, 'it is archived, and left out');
    return undefined;
  }
  const values = [
    feature.defaultValue,
    ...environments.flatMap(({ defaultValue, rules }) => [defaultValue, ...rules.flatMap(valuesOf)]),
  ];
  const kind = feature.kind ?? kindOf(values.filter((value) => value !== undefined));
  if (kind === undefined) {
    report.lost(where, 'its values are of several types; the flag is left out');
    return undefined;
  }
  const variants = variantsOfValues();
  if (kind === 'boolean') for (const value of [true, false]) variants.keyOf(value);
  const off = variants.keyOf(feature.defaultValue ?? null);
  const converted = environments.map((environment): [string, EnvironmentDocument] => {
    const fallthrough = variants.keyOf(environment.defaultValue ?? null);
    const at = `${where}, ${environment.key}`;
    const rules = environment.rules.flatMap((rule, i) => {
      const isLast = i === environment.rules.length - 1;
      return convertRule(rule, {
        at: `${at}, rule ${i + 1}`,
        isLast,
        fallthrough,
        variantOf: variants.keyOf,
        groups,
        report,
      });
    });
    const { enabled } = environment;
    return [environment.key, { enabled, off_variant: off, fallthrough: { variant: fallthrough }, targets: [], rules }];
  });
  const parents = environments.flatMap(({ rules }) => rules.flatMap((rule) => fieldsListOf(rule.parentConditions)));
  return {
    key: keys.of(name),
    name,
    description: textOf(fields.description) ?? '',
    kind,
    variants: variants.variants,
    default_variant: kind === 'boolean' ? 'true' : off,
    off_variant: off,
    tags: [...new Set(textsOf(fields.tags).map((tag) => keyOf(tag, false)))],
    temporary: true,
    prerequisites: [
      ...new Set([...textsOf(fields.prerequisites), ...parents.filter(isGate).map(({ id }) => textOf(id) ?? '')]),
    ].map((id) => ({
      flag: keys.of(id),
      variants: ['true'],
    })),
    environments: Object.fromEntries(converted),
  };
}

function valuesOf(rule: Fields): unknown[] {
  return [...(rule.force === undefined ? [] : [rule.force]), ...listOf(rule.variations)];
}

interface RuleContext {
  readonly at: string;
  readonly isLast: boolean;
  /** The default's variant. */
  readonly fallthrough: string;
  readonly variantOf: (value: unknown) => string;
  readonly groups: Groups;
  readonly report: Report;
}

function convertRule(rule: Fields, context: RuleContext): RuleDocument[] {
  const { at, report, groups } = context;
  if (rule.enabled === false) {
    report.lost(at, 'it is disabled, and left out');
    return [];
  }
  const converted = report.attempt(at, 'the rule is left out', () => {
    if (isSet(rule.scheduleRules) || textOf(rule.rampScheduleId) !== undefined)
      throw new NoEqual('it goes on and off by a schedule');
    const parents = fieldsListOf(rule.parentConditions);
    const isOnlyGate = parents.length > 0 && parents.every(isGate) && valuesOf(rule).length === 0;
    // A gate of the whole feature is a prerequisite.
    if (isOnlyGate) return [];
    if (parents.some((parent) => !isGate(parent))) throw new NoEqual('it depends on the value of another feature');
    const targeting: Expression[] = fieldsListOf(rule.savedGroups ?? rule.savedGroupTargeting).map((group) =>
      groupsOf(group, groups),
    );
    const when: Expression = { kind: 'all', of: [conditionOf(rule.condition, groups), ...targeting] };
    const serve = serveOf(rule, context);
    const description = textOf(rule.description) ?? textOf(rule.name);
    return alternatives(when).map((clauses) => ({
      ...(description !== undefined && { description }),
      clauses,
      ...serve,
    }));
  });
  return converted ?? [];
}

/** `savedGroups` of the REST API: in all, any or none of some groups. */
function groupsOf(group: Fields, groups: Groups): Expression {
  const ids = textsOf(group.savedGroups ?? group.ids);
  const of = ids.map((id) => conditionOf({ id: { $inGroup: id } }, groups));
  const match = textOf(group.matchType ?? group.match);
  if (match === 'none') return { kind: 'not', of: { kind: 'any', of } };
  return { kind: match === 'any' ? 'any' : 'all', of };
}

function serveOf(rule: Fields, context: RuleContext): ServeDocument {
  const { at, report, variantOf, fallthrough, isLast } = context;
  const coverage = numberOf(rule.coverage) ?? 1;
  for (const field of ['namespace', 'filters', 'ranges', 'range']) {
    if (isSet(rule[field])) throw new NoEqual(`its "${field}" has no equal`);
  }
  const hashAttribute = textOf(rule.hashAttribute) ?? 'id';
  const bucket = hashAttribute === 'id' ? {} : { bucket_by: hashAttribute };
  if (rule.variations === undefined) {
    if (rule.force === undefined)
      throw new NoEqual(`it serves nothing that is known here (${textOf(rule.type) ?? 'no type'})`);
    const variant = variantOf(rule.force);
    if (coverage >= 1) return { variant };
    tellDivision(rule, context, coverage);
    return {
      rollout: {
        ...bucket,
        weights: weightsOf([
          { variant, share: coverage },
          { variant: fallthrough, share: 1 - coverage },
        ]),
      },
    };
  }
  const variations = listOf(rule.variations);
  const weights = listOf(rule.weights);
  if (variations.length === 0) throw new NoEqual('it has no variations');
  report.changed(at, 'it is an experiment: its division is kept, the experiment is not');
  tellDivision(rule, context, coverage);
  const shares = variations.map((value, i) => ({
    variant: variantOf(value),
    share: (numberOf(weights[i]) ?? 1 / variations.length) * coverage,
  }));
  const rest = coverage < 1 ? [{ variant: fallthrough, share: 1 - coverage }] : [];
  if (!isLast && rest.length === 0) return { rollout: { ...bucket, weights: weightsOf(shares) } };
  return { rollout: { ...bucket, weights: weightsOf([...shares, ...rest]) } };
}

function tellDivision(rule: Fields, { at, isLast, report }: RuleContext, coverage: number): void {
  report.changed(at, 'units are divided anew: GrowthBook buckets by another hash');
  if (coverage < 1 && !isLast)
    report.changed(at, 'whoever its percentage leaves out gets the default, and not what later rules say');
  if (textOf(rule.fallbackAttribute) !== undefined)
    report.lost(at, `the fallback attribute ${rule.fallbackAttribute} is not taken over`);
}

/** "The parent is on", asked of the whole feature. */
function isGate(parent: Fields): boolean {
  const value = fieldsOf(fieldsOf(parent.condition).value);
  const asks = fieldsOf(parent.condition).value === true || value.$eq === true;
  return parent.gate === true && asks;
}

function withParents(flags: readonly FlagDocument[], report: Report): FlagDocument[] {
  const kinds = new Map(flags.map(({ key, kind }) => [key, kind]));
  return flags.map((flag) => ({
    ...flag,
    prerequisites: flag.prerequisites.filter((prerequisite) => {
      const isKnown = kinds.get(prerequisite.flag) === 'boolean';
      if (!isKnown)
        report.lost(
          `flag ${flag.key}`,
          `its prerequisite ${prerequisite.flag} is no boolean flag of the file; it is left out`,
        );
      return isKnown;
    }),
  }));
}
