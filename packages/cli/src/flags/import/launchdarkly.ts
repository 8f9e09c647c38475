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
import type { EnvironmentDocument, FlagDocument, ServeDocument } from '../document.ts';
import type { Conversion } from './conversion.ts';
import { turnedOff } from './dependencies.ts';
import { clausesOf, isMalformed, type Kinds, kindsOf, unitOf } from './launchdarkly-clauses.ts';
import { prerequisitesOf, resolvePrerequisites } from './launchdarkly-prerequisites.ts';
import { convertSegment, everybody, isElsewhere } from './launchdarkly-segments.ts';
import { targetsOf } from './launchdarkly-targets.ts';
import { createKeys, freeKey, type Keys, type Kind, keyOf, kindOf } from './naming.ts';
import { summingToTotal } from './weights.ts';

/** Name for the environment of a file that has only one and does not name it. */
export const UNNAMED_ENVIRONMENT = 'default';

/**
 * LaunchDarkly: the lists of its REST API (`GET /api/v2/flags/{project}?summary=0`, `GET /api/v2/segments/{project}/{env}`),
 * and the data that its SDKs and relay download (`{flags, segments}`, one environment). Units keep their buckets:
 * LaunchDarkly hashes `key.salt.unit`, and a seed of `key.salt` gives the same hash here.
 */
export function convertLaunchDarkly(content: unknown, all: readonly unknown[] = [content]): Conversion {
  const report = new Report();
  const source = sourceOf(content);
  const kinds = { ...kindsOf(all, report), segments: source.allSegments };
  const names = { flags: createKeys('flag', true, report), segments: createKeys('segment', false, report) };
  // Names first, so that a reference finds its key in any order of the file.
  for (const { key } of source.flags) names.flags.of(textOf(key) ?? '');
  const flags = resolvePrerequisites(
    source.flags.flatMap((flag) => convertFlag(flag, names, kinds) ?? []),
    report,
  );
  const segments = source.segments.flatMap((segment) => convertSegment(segment, names.segments, kinds) ?? []);
  const lostSegments = source.segments.filter(isElsewhere).map(({ key }) => names.segments.of(textOf(key) ?? ''));
  return { flags, segments, lostSegments, notes: report.notes };
}

interface Names {
  readonly flags: Keys;
  readonly segments: Keys;
}

interface Source {
  readonly flags: readonly Fields[];
  readonly segments: readonly Fields[];
  /** If the file has all segments that there are. */
  readonly allSegments?: ReadonlySet<string>;
}

function sourceOf(content: unknown): Source {
  const file = fieldsOf(content);
  if (Array.isArray(file.items)) {
    const items = fieldsListOf(file.items);
    const isSegment = (item: Fields) => Array.isArray(item.included) && item.variations === undefined;
    return { flags: items.filter((item) => !isSegment(item)), segments: items.filter(isSegment) };
  }
  if (isFields(file.flags)) {
    const flags = Object.entries(file.flags).map(([key, flag]) => asManaged(key, fieldsOf(flag)));
    const segments = Object.entries(fieldsOf(file.segments)).map(([key, segment]) => ({ key, ...fieldsOf(segment) }));
    return { flags, segments, ...(isFields(file.segments) && { allSegments: new Set(Object.keys(file.segments)) }) };
  }
  if (textOf(file.key) !== undefined && Array.isArray(file.variations)) return { flags: [file], segments: [] };
  throw new NotThisFormat('expected a list of flags or segments of the REST API, or the data of an SDK');
}

/** A flag of the SDK data in the format of the REST API. */
function asManaged(key: string, flag: Fields): Fields {
  const variations = listOf(flag.variations).map((value) => ({ value }));
  const { clientSideAvailability, clientSide } = flag;
  return {
    key,
    name: key,
    variations,
    clientSideAvailability,
    clientSide,
    environments: { [UNNAMED_ENVIRONMENT]: flag },
  };
}

function convertFlag(flag: Fields, names: Names, kinds: Kinds): FlagDocument | undefined {
  const { report } = kinds;
  const name = textOf(flag.key) ?? '';
  const where = `flag ${name}`;
  const variations = fieldsListOf(flag.variations);
  if (flag.archived === true) {
    report.lost(where, 'it is archived and not imported');
    return undefined;
  }
  const values = variations.map(({ value }) => value);
  const kind = kindOf(values, where, report);
  if (kind === undefined) return undefined;
  const variants = variantsOf(variations, kind);
  if (isSet(flag.experiments))
    report.lost(where, 'its experiments are not imported: the file has neither their metrics nor their results');
  if (isSet(flag.customProperties)) report.lost(where, 'custom properties are not imported');
  if (isSet(flag.variationJsonSchema)) report.lost(where, 'the JSON schema of its variations is not imported');
  if (isSet(flag.migrationSettings)) report.lost(where, 'the settings of its migration are not imported');
  if (flag.deprecated === true) report.lost(where, 'it is marked as deprecated, which has no equivalent');
  if (isSet(flag.maintainerId) || isSet(flag.maintainerTeamKey))
    report.lost('all flags', 'maintainers are not imported');
  const converted = { name, where, kind, variants, names, kinds, report };
  const environments = Object.entries(fieldsOf(flag.environments)).flatMap(
    ([key, given]): [string, EnvironmentDocument][] => {
      const environment = fieldsOf(given);
      if (!isSummary(environment)) return [[key, convertEnvironment(converted, key, environment)]];
      report.lost(
        `environment ${key}`,
        'the file has only a summary of its targeting, which is not imported: call the API with ?summary=0&env=…',
      );
      return [];
    },
  );
  const variantAt = (index: unknown) => variants[numberOf(index) ?? -1]?.key;
  const defaults = fieldsOf(flag.defaults);
  const default_variant = variantAt(defaults.onVariation);
  const off_variant = variantAt(defaults.offVariation);
  const { prerequisites, lostIn } = prerequisitesOf(flag, names.flags, report);
  const document: FlagDocument = {
    key: names.flags.of(name),
    name: textOf(flag.name) ?? name,
    description: textOf(flag.description) ?? '',
    kind,
    variants,
    ...(default_variant !== undefined && { default_variant }),
    ...(off_variant !== undefined && { off_variant }),
    tags: [...new Set(textsOf(flag.tags).map((tag) => keyOf(tag, false)))],
    temporary: flag.temporary !== false,
    ...visibilityOf(flag, where, report),
    prerequisites,
    environments: Object.fromEntries(environments),
  };
  return turnedOff(document, lostIn);
}

/** The REST API without `summary=0` leaves out whom a flag serves what. */
function isSummary({ _summary, fallthrough, rules, targets, offVariation }: Fields): boolean {
  if (fallthrough !== undefined) return false;
  return _summary !== undefined || [rules, targets, offVariation].every((part) => part === undefined);
}

/** Whether client keys, which browsers and mobile applications use, see the flag. */
function visibilityOf(flag: Fields, where: string, report: Report): { client_visible?: boolean } {
  const { usingEnvironmentId, usingMobileKey } = fieldsOf(flag.clientSideAvailability);
  const inBrowsers = (usingEnvironmentId ?? flag.clientSide) !== false;
  const onMobiles = (usingMobileKey ?? inBrowsers) !== false;
  if (inBrowsers && onMobiles) return {};
  if (inBrowsers !== onMobiles)
    report.changed(
      where,
      `it is available to ${inBrowsers ? 'browsers' : 'mobile applications'} only; here it is hidden from all client keys, which is the safe side: set client_visible to serve it to both`,
    );
  return { client_visible: false };
}

function variantsOf(variations: readonly Fields[], kind: Kind): FlagDocument['variants'] {
  const taken = new Set<string>();
  return variations.map(({ value, name }, i) => {
    const short = typeof value === 'object' || String(value).length > 40 ? undefined : String(value);
    const label = kind === 'boolean' ? String(value) : (textOf(name) ?? short ?? `variation-${i}`);
    const key = freeKey(label, taken);
    return { key, value, ...(textOf(name) !== undefined && { name: textOf(name) }) };
  });
}

interface Converted {
  readonly name: string;
  readonly where: string;
  readonly kind: Kind;
  readonly variants: FlagDocument['variants'];
  readonly names: Names;
  readonly kinds: Kinds;
  readonly report: Report;
}

function convertEnvironment(flag: Converted, key: string, environment: Fields): EnvironmentDocument {
  const { variants, report, names, kinds } = flag;
  const where = `${flag.where}, ${key}`;
  const { fallthrough } = environment;
  if (fallthrough === undefined || fallthrough === null)
    report.changed(
      where,
      'it has no fallthrough: whom no rule matches gets the default in the code, as in LaunchDarkly',
    );
  const serve = (from: Fields, at: string) => serveOf(flag, environment, from, at);
  const rules = fieldsListOf(environment.rules).flatMap((rule, i) => {
    const at = `${where}, rule ${i + 1}`;
    return (
      report.attempt(at, 'the rule is not imported', () => {
        const { description } = rule;
        const given = fieldsListOf(rule.clauses);
        const malformed = given.findIndex(isMalformed);
        if (malformed >= 0) report.changed(at, `clause ${malformed + 1} ${cannotBeRead}`);
        const read = malformed < 0 ? given : given.slice(0, malformed);
        const clauses = clausesOf({ clauses: read }, names.segments, kinds);
        return {
          ...(textOf(description) !== undefined && { description: textOf(description) }),
          ...(clauses.length === 0 ? { clauses, shares: [everybody] } : { clauses }),
          ...(malformed < 0 ? serve(rule, at) : { variant: null }),
        };
      }) ?? []
    );
  });
  const served = report.attempt(`${where}, fallthrough`, 'the off variant is served', () =>
    isFields(fallthrough) ? serve(fallthrough, `${where}, fallthrough`) : { variant: null },
  );
  if (environment.trackEvents === true)
    report.lost(where, 'event tracking settings are not imported: exposures are counted for every flag');
  if (isSet(environment.debugEventsUntilDate)) report.lost(where, 'event debugging is not imported');
  const off_variant = offVariant(flag, environment, where);
  return {
    enabled: environment.on === true,
    off_variant,
    fallthrough: served ?? { variant: off_variant },
    targets: targetsOf(environment, variants, kinds, where),
    rules,
  };
}

const cannotBeRead =
  'names no attribute that LaunchDarkly can read: whom the clauses before it match gets the default in the code, as in LaunchDarkly';

/** Without an off variation, callers use the default in their code, as in LaunchDarkly. */
function offVariant({ variants, report }: Converted, environment: Fields, where: string): string | null {
  const index = numberOf(environment.offVariation);
  if (index === undefined) return null;
  const off = variants[index];
  if (off !== undefined) return off.key;
  report.lost(
    where,
    `its off variation ${index} does not exist; when the flag is off, callers use the default in their code`,
  );
  return null;
}

function serveOf(
  { name, variants, kinds, report }: Converted,
  environment: Fields,
  from: Fields,
  at: string,
): ServeDocument {
  const variantAt = (index: unknown) => {
    const variant = variants[numberOf(index) ?? -1];
    if (variant === undefined) throw new NoEqual(`it serves an unknown variation (${String(index)})`);
    return variant.key;
  };
  if (!isFields(from.rollout)) return { variant: variantAt(from.variation) };
  const { rollout } = from;
  const parts = fieldsListOf(rollout.variations);
  const isExperiment = rollout.kind === 'experiment';
  if (parts.length === 0) {
    report.changed(
      at,
      'its rollout has no variations: whom it concerns gets the default in the code, as in LaunchDarkly',
    );
    return { variant: null };
  }
  const whole = summingToTotal(parts.map(({ weight }) => numberOf(weight) ?? 0));
  const weights = parts.map(({ variation, untracked }, i) => ({
    variant: variantAt(variation),
    weight: whole[i] ?? 0,
    ...(isExperiment && untracked === true && { untracked }),
  }));
  const { type } = fieldsOf(rollout.experimentAllocation);
  if (type === 'measuredRollout')
    report.changed(
      at,
      'it is the present step of a guarded rollout: its percentages are imported, and its units are measured. The file has neither its next steps nor its metrics, so plan a guarded release here',
    );
  else if (isExperiment || isSet(rollout.experimentAllocation))
    report.changed(
      at,
      'it is the allocation of an experiment: the percentages are imported, and its units are measured. The file does not have the metrics of the experiment, so create an experiment here',
    );
  const asked = textOf(rollout.bucketBy) ?? 'key';
  // Experiments always divide by the key.
  if (isExperiment && asked !== 'key')
    report.changed(
      at,
      `it names ${asked} as the attribute to divide by, which LaunchDarkly ignores in an experiment: it divides by the key`,
    );
  const unit = unitOf(isExperiment ? 'key' : asked, textOf(rollout.contextKind), kinds);
  const salt = textOf(environment.salt);
  const seed = numberOf(rollout.seed) ?? (salt === undefined ? undefined : `${name}.${salt}`);
  if (seed === undefined) report.changed(at, 'the file has no salt, so units may get another variant');
  return {
    rollout: {
      ...unit,
      ...(seed !== undefined && { seed: String(seed) }),
      ...(isExperiment && { tracked: true }),
      weights,
    },
  };
}
