import {
  type Fields,
  fieldsListOf,
  fieldsOf,
  isFields,
  isSet,
  listOf,
  numberOf,
  textOf,
  textsOf,
} from '../../files/fields.ts';
import { NoEqual, NotThisFormat, Report } from '../../files/report.ts';
import type { EnvironmentDocument, FlagDocument, RuleDocument } from '../document.ts';
import type { Conversion } from './conversion.ts';
import { alternatives, type Expression } from './expression.ts';
import { conditionOf, type Groups, savedGroupsOf } from './growthbook-condition.ts';
import { type Division, experimentDivision, forcedDivision, type RuleFacts } from './growthbook-division.ts';
import { gatesOf, withGates } from './growthbook-gates.ts';
import { UNNAMED_ENVIRONMENT } from './launchdarkly.ts';
import { createKeys, type Keys, type Kind, keyOf, kindOf, variantsOfValues } from './naming.ts';

/**
 * GrowthBook: the payload of its SDKs (`{features: {key: …}, savedGroups}`, one environment), and the list of features
 * of its REST API (`{features: [{id, environments, …}]}`).
 */
export function convertGrowthBook(content: unknown): Conversion {
  const file = fieldsOf(content);
  const report = new Report();
  const keys = { flags: createKeys('flag', true, report), segments: createKeys('segment', false, report) };
  const features = featuresOf(file);
  for (const { name } of features) keys.flags.of(name);
  if (isSet(file.experiments)) report.lost('all flags', 'page experiments (visual, redirects) are not imported');
  const segments = savedGroupsOf(fieldsOf(file.savedGroups), keys.segments, report);
  const groups: Groups = {
    of: (id) => segments.get(id),
    note: (what) => report.changed('all conditions', what),
    areComplete: isFields(file.features),
  };
  const context = { keys: keys.flags, groups, report };
  const flags = features.flatMap((feature) => convertFeature(feature, context) ?? []);
  const documents = [...segments.values()].flatMap((group) => (group.kind === 'list' ? [group.document] : []));
  return { flags: withGates(flags, report), segments: documents, notes: report.notes };
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
  if (!isFields(file.features)) throw new NotThisFormat('a GrowthBook file needs "features"');
  return Object.entries(file.features).map(([name, given]) => {
    const fields = fieldsOf(given);
    const { defaultValue } = fields;
    const environment = { key: UNNAMED_ENVIRONMENT, enabled: true, defaultValue, rules: fieldsListOf(fields.rules) };
    return { name, fields, kind: undefined, defaultValue, environments: [environment] };
  });
}

/** The REST API returns every value as text. */
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

/** A rule of the REST API in the SDK format. */
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
    key: rule.trackingKey ?? rule.key,
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
    report.lost(where, 'it is archived and not imported');
    return undefined;
  }
  const values = [
    feature.defaultValue,
    ...environments.flatMap(({ defaultValue, rules }) => [defaultValue, ...rules.flatMap(valuesOf)]),
  ];
  const given = values.filter((value) => value !== undefined);
  const kind = feature.kind ?? kindOf(given, where, report);
  if (kind === undefined) return undefined;
  const variants = variantsOfValues();
  if (kind === 'boolean') for (const value of [true, false]) variants.keyOf(value);
  const off = variants.keyOf(feature.defaultValue ?? null);
  const converted = environments.map((environment): [string, EnvironmentDocument] => {
    const fallthrough = variants.keyOf(environment.defaultValue ?? null);
    const at = `${where}, ${environment.key}`;
    const rules = environment.rules.flatMap((rule, i) => {
      const where = `${at}, rule ${i + 1}`;
      return convertRule(rule, { at: where, feature: name, variantOf: variants.keyOf, groups, report });
    });
    const { enabled } = environment;
    // A feature that is off is not delivered, and callers use the default in their code.
    return [environment.key, { enabled, off_variant: null, fallthrough: { variant: fallthrough }, targets: [], rules }];
  });
  const parents = environments.flatMap(({ rules }) => rules.flatMap((rule) => fieldsListOf(rule.parentConditions)));
  const flag: FlagDocument = {
    key: keys.of(name),
    name,
    description: textOf(fields.description) ?? '',
    kind,
    variants: variants.variants,
    default_variant: kind === 'boolean' ? 'true' : off,
    off_variant: null,
    tags: [...new Set(textsOf(fields.tags).map((tag) => keyOf(tag, false)))],
    temporary: true,
    prerequisites: gatesOf(textsOf(fields.prerequisites), parents, keys),
    environments: Object.fromEntries(converted),
  };
  return flag;
}

function valuesOf(rule: Fields): unknown[] {
  return [...(rule.force === undefined ? [] : [rule.force]), ...listOf(rule.variations)];
}

interface RuleContext extends RuleFacts {
  readonly at: string;
  readonly groups: Groups;
  readonly report: Report;
}

function convertRule(rule: Fields, context: RuleContext): RuleDocument[] {
  const { at, report, groups } = context;
  if (rule.enabled === false) {
    report.lost(at, 'it is disabled and not imported');
    return [];
  }
  const converted = report.attempt(at, 'the rule is not imported', () => {
    if (isSet(rule.scheduleRules) || textOf(rule.rampScheduleId) !== undefined)
      throw new NoEqual('a schedule turns it on and off');
    if (isSet(rule.contextualBanditRef)) throw new NoEqual('it is a contextual bandit');
    const parents = fieldsListOf(rule.parentConditions);
    const isOnlyGate = parents.length > 0 && parents.every(({ gate }) => gate === true) && valuesOf(rule).length === 0;
    // A gate on the whole feature becomes a prerequisite.
    if (isOnlyGate) return [];
    if (parents.some((parent) => parent.gate !== true)) throw new NoEqual('it depends on the value of another feature');
    const targeting: Expression[] = fieldsListOf(rule.savedGroups ?? rule.savedGroupTargeting).map((group) =>
      groupsOf(group, groups),
    );
    const when: Expression = { kind: 'all', of: [conditionOf(rule.condition, groups), ...targeting] };
    const division = divisionOf(rule, context);
    if (division === undefined) return [];
    const { shares, serve } = division;
    const description = textOf(rule.description) ?? textOf(rule.name);
    return alternatives(when).map((clauses) => ({
      ...(description !== undefined && { description }),
      clauses,
      ...(shares.length > 0 && { shares }),
      ...serve,
    }));
  });
  return converted ?? [];
}

function divisionOf(rule: Fields, context: RuleContext): Division | undefined {
  const { at, report } = context;
  if (textOf(rule.fallbackAttribute) !== undefined)
    report.lost(at, `the fallback attribute ${rule.fallbackAttribute} is not imported: it belongs to sticky buckets`);
  if (rule.force !== undefined) return forcedDivision(rule, context);
  if (rule.variations === undefined)
    throw new NoEqual(`its type is not supported here (${textOf(rule.type) ?? 'no type'})`);
  if (rule.type === 'experiment-ref')
    report.changed(at, 'its experiment is not in the file, so units may get another variant');
  report.changed(at, 'it is an experiment: the division is imported, the experiment is not');
  const division = experimentDivision(rule, context);
  if (division === undefined) report.lost(at, 'no unit is in its experiment; the rule is not imported');
  return division;
}

/** `savedGroups` of the REST API: membership in all, any or none of some groups. */
function groupsOf(group: Fields, groups: Groups): Expression {
  const ids = textsOf(group.savedGroups ?? group.ids);
  const of = ids.map((id) => conditionOf({ id: { $inGroup: id } }, groups));
  const match = textOf(group.matchType ?? group.match);
  if (match === 'none') return { kind: 'not', of: { kind: 'any', of } };
  return { kind: match === 'any' ? 'any' : 'all', of };
}
