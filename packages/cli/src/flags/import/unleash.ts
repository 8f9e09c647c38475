import { type Fields, fieldsListOf, fieldsOf, isSet, listOf, textOf, textsOf } from '../../files/fields.ts';
import { NoEqual, NotThisFormat, Report } from '../../files/report.ts';
import type { EnvironmentDocument, FlagDocument, SegmentDocument } from '../document.ts';
import type { Conversion } from './conversion.ts';
import { offHere, turnedOff, withoutMissingParents } from './dependencies.ts';
import { alternatives } from './expression.ts';
import { UNNAMED_ENVIRONMENT } from './launchdarkly.ts';
import { createKeys, type Keys, keyOf } from './naming.ts';
import { constraintsOf } from './unleash-constraints.ts';
import { activeStrategies, type StrategyContext, strategyRules } from './unleash-strategies.ts';
import { overridesOf, planVariants } from './unleash-variants.ts';

/**
 * Unleash: an export of the admin API or of its user interface (`{features, featureStrategies, featureEnvironments, …}`),
 * and the payload of its SDKs (`{version, features, segments}`, one environment).
 */
export function convertUnleash(content: unknown): Conversion {
  const file = fieldsOf(content);
  if (!Array.isArray(file.features)) throw new NotThisFormat('an Unleash file needs a list "features"');
  const report = new Report();
  const keys = { flags: createKeys('flag', true, report), segments: createKeys('segment', false, report) };
  const segments = segmentsOf(file, keys.segments, report);
  const features = fieldsListOf(file.features);
  for (const { name } of features) keys.flags.of(textOf(name) ?? '');
  const flags = features.flatMap(
    (feature) => convertFeature(feature, file, { flags: keys.flags, segments: segments.keys }, report) ?? [],
  );
  return { flags: withoutMissingParents(flags, report), segments: segments.documents, notes: report.notes };
}

interface Names {
  readonly flags: Keys;
  /** Keys of the segments that could be converted, by id. */
  readonly segments: ReadonlyMap<string, string>;
}

function segmentsOf(file: Fields, keys: Keys, report: Report) {
  const documents: SegmentDocument[] = [];
  const byId = new Map<string, string>();
  for (const segment of fieldsListOf(file.segments)) {
    const name = textOf(segment.name) ?? `segment-${String(segment.id)}`;
    const where = `segment ${name}`;
    const rules = report.attempt(where, 'the segment is not imported', () => {
      if (!Array.isArray(segment.constraints)) throw new NoEqual('its constraints are not in the file');
      const expression = constraintsOf(segment.constraints, (what) => report.changed(where, what));
      const ways = alternatives(expression);
      if (ways.some((clauses) => clauses.length === 0))
        throw new NoEqual('it has no constraints, so it includes everybody');
      return ways.map((clauses) => ({ clauses }));
    });
    if (rules === undefined) continue;
    const key = keys.of(keyOf(name, false));
    byId.set(String(segment.id), key);
    documents.push({ key, name, description: textOf(segment.description) ?? '', included: [], excluded: [], rules });
  }
  return { documents, keys: byId };
}

function convertFeature(feature: Fields, file: Fields, names: Names, report: Report): FlagDocument | undefined {
  const name = textOf(feature.name) ?? '';
  const where = `flag ${name}`;
  if (feature.archived === true || isSet(feature.archivedAt)) {
    report.lost(where, 'it is archived and not imported');
    return undefined;
  }
  const environments = environmentsOf(feature, file);
  const plan = report.attempt(where, 'the flag is not imported', () =>
    planVariants(
      environments.flatMap(({ variants, strategies }) => [
        ...variants,
        ...strategies.flatMap((strategy) => fieldsListOf(strategy.variants)),
      ]),
      (what) => report.changed(where, what),
    ),
  );
  if (plan === undefined) return undefined;
  if (feature.impressionData === true)
    report.lost(where, 'impression data is not imported: exposures are counted for every flag');
  if (feature.stale === true)
    report.lost(where, 'it is marked as stale: here staleness is computed from what the flag serves');
  const converted = environments.map((environment): [string, EnvironmentDocument] => {
    const { key, variants } = environment;
    const context = { flag: name, where: `${where}, ${key}`, plan, variants, names: names.segments, report };
    return [key, convertEnvironment(environment, context)];
  });
  const { prerequisites, lost } = dependenciesOf(feature, file, names, report);
  const flag: FlagDocument = {
    key: names.flags.of(name),
    name,
    description: textOf(feature.description) ?? '',
    kind: plan.kind,
    variants: plan.variants,
    default_variant: plan.on,
    off_variant: plan.off,
    tags: tagsOf(name, file),
    temporary: feature.type !== 'permission' && feature.type !== 'kill-switch' && feature.type !== 'operational',
    prerequisites,
    environments: Object.fromEntries(converted),
  };
  return lost ? turnedOff(flag) : flag;
}

function convertEnvironment(
  { enabled, variants, strategies }: FeatureEnvironment,
  context: StrategyContext,
): EnvironmentDocument {
  const { flag, where, plan, report } = context;
  const rules = activeStrategies(strategies, context).flatMap((strategy) =>
    strategyRules(strategy, strategies.indexOf(strategy), context),
  );
  // Without strategies, a feature that is on is on for everybody.
  const isOpen = !strategies.some((strategy) => strategy.disabled !== true);
  const note = (what: string) => report.changed(where, what);
  const stickiness = textOf(variants[0]?.stickiness);
  const fallthrough = isOpen ? plan.serve(variants, { seed: flag, stickiness, note }) : { variant: plan.off };
  const overridden = isOpen
    ? overridesOf(variants, plan).flatMap(({ variant, clause }) =>
        alternatives(clause).map((clauses) => ({ clauses, variant })),
      )
    : [];
  return { enabled, off_variant: plan.off, fallthrough, targets: [], rules: [...overridden, ...rules] };
}

interface FeatureEnvironment {
  readonly key: string;
  readonly enabled: boolean;
  readonly variants: readonly Fields[];
  readonly strategies: readonly Fields[];
}

/** The admin API lists environments and strategies beside the features; the SDK payload nests them in the features. */
function environmentsOf(feature: Fields, file: Fields): FeatureEnvironment[] {
  if (!Array.isArray(file.featureStrategies) && !Array.isArray(file.featureEnvironments)) {
    const own = fieldsListOf(feature.environments);
    const sources = own.length > 0 ? own : [{ ...feature, name: UNNAMED_ENVIRONMENT }];
    return sources.map((source) => ({
      key: textOf(source.name) ?? UNNAMED_ENVIRONMENT,
      enabled: source.enabled === true,
      variants: fieldsListOf(source.variants ?? feature.variants),
      strategies: fieldsListOf(source.strategies),
    }));
  }
  const isOf = (item: Fields) => (item.featureName ?? item.feature) === feature.name;
  const strategies = fieldsListOf(file.featureStrategies)
    .filter(isOf)
    .map((strategy) => withSegments(strategy, file));
  return fieldsListOf(file.featureEnvironments)
    .filter(isOf)
    .map((environment) => {
      const key = textOf(environment.environment) ?? textOf(environment.name) ?? UNNAMED_ENVIRONMENT;
      const own = fieldsListOf(environment.variants);
      return {
        key,
        enabled: environment.enabled === true,
        variants: own.length > 0 ? own : fieldsListOf(feature.variants),
        // An export of one environment does not name it in each strategy.
        strategies: strategies.filter((strategy) => (strategy.environment ?? key) === key),
      };
    });
}

/** Older exports list the segments of a strategy as pairs. */
function withSegments(strategy: Fields, file: Fields): Fields {
  const linked = fieldsListOf(file.featureStrategySegments)
    .filter(({ featureStrategyId }) => featureStrategyId === strategy.id)
    .map(({ segmentId }) => segmentId);
  return {
    ...strategy,
    name: strategy.strategyName ?? strategy.name,
    segments: [...listOf(strategy.segments), ...linked],
  };
}

function tagsOf(name: string, file: Fields): string[] {
  const tags = fieldsListOf(file.featureTags).filter((tag) => tag.featureName === name);
  const texts = tags.map(({ tagType, type, tagValue, value }) => {
    const kind = textOf(tagType) ?? textOf(type) ?? 'simple';
    const text = textOf(tagValue) ?? textOf(value) ?? '';
    return keyOf(kind === 'simple' ? text : `${kind}.${text}`, false);
  });
  return [...new Set(texts)];
}

/** The API lists dependencies beside the features; the SDK payload nests them. */
function parentsOf(feature: Fields, file: Fields): readonly Fields[] {
  const listed = fieldsListOf(file.dependencies).filter((entry) => entry.feature === feature.name);
  return [...fieldsListOf(feature.dependencies), ...listed.flatMap((entry) => fieldsListOf(entry.dependencies))];
}

/** Parents: on in any variant, or in some. "Off" has no equivalent, because a prerequisite here requires a flag that is on. */
function dependenciesOf(
  feature: Fields,
  file: Fields,
  names: Names,
  report: Report,
): { readonly prerequisites: FlagDocument['prerequisites']; readonly lost: boolean } {
  const features = fieldsListOf(file.features);
  let lost = false;
  const prerequisites = parentsOf(feature, file).flatMap((parent) => {
    const required = textOf(parent.feature) ?? '';
    const where = `flag ${textOf(feature.name)}`;
    const known = features.find(({ name }) => name === required);
    const why =
      known === undefined
        ? 'is not in the file'
        : parent.enabled === false
          ? 'must be off, which a prerequisite cannot require'
          : parentsOf(known, file).length > 0
            ? 'has a parent itself, so Unleash never turns the flag on'
            : undefined;
    if (known === undefined || why !== undefined) {
      report.lost(where, `its parent ${required} ${why}; ${offHere}`);
      lost = true;
      return [];
    }
    const wanted = textsOf(parent.variants).map((variant) => keyOf(variant, true));
    const all = environmentsOf(known, file).flatMap(({ variants, strategies }) => [
      ...variants,
      ...strategies.flatMap((strategy) => fieldsListOf(strategy.variants)),
    ]);
    const others = [...new Set(all.map(({ name }) => keyOf(textOf(name) ?? '', true)))];
    const variants = wanted.length > 0 ? wanted : others.length > 0 ? others : ['true'];
    return [{ flag: names.flags.of(required), variants }];
  });
  return { prerequisites, lost };
}
