import { type Fields, fieldsListOf, fieldsOf, isFields, isSet, listOf, numberOf, textOf } from '../files/fields.ts';
import { NoEqual, NotThisFormat, type Report } from '../files/report.ts';
import { keyOf } from '../flags/import/naming.ts';
import type { ImportedDocument } from '../imports/kinds.ts';

/**
 * What SQL of a warehouse is here, by the id of a fact table or of a metric: GrowthBook's files do not hold telemetry.
 */
export interface Source {
  readonly source: string;
  readonly unit: string;
  /** OQL for the columns of a fact table. */
  readonly columns: Fields;
}

export interface Converted {
  readonly metrics: readonly ImportedDocument[];
  readonly experiments: readonly ImportedDocument[];
}

/**
 * Lists of GrowthBook's REST API, in any number of files: `{factMetrics}`, `{metrics}`, `{experiments}` and `{features}`.
 * Features say which flag and which environments an experiment has.
 *
 * @throws NotThisFormat
 */
export function convertExperiments(
  contents: readonly unknown[],
  sources: ReadonlyMap<string, Source>,
  environment: string | undefined,
  report: Report,
): Converted {
  const of = (name: string) => contents.flatMap((content) => fieldsListOf(fieldsOf(content)[name]));
  const [facts, classic, experiments] = [of('factMetrics'), of('metrics'), of('experiments')];
  if (facts.length + classic.length + experiments.length === 0)
    throw new NotThisFormat('a file of GrowthBook needs "experiments", "metrics" or "factMetrics"');
  const keys = new Map<string, string>();
  const metrics = [...facts, ...classic].flatMap((fields): ImportedDocument[] => {
    const id = textOf(fields.id) ?? '';
    const where = `metric ${textOf(fields.name) ?? id}`;
    const content = report.attempt(where, 'it is not imported', () => metricOf(fields, sources, where, report));
    if (content === undefined) return [];
    keys.set(id, content.key);
    return [{ where, name: content.key, content }];
  });
  const uses = usesOf(of('features'));
  return {
    metrics,
    experiments: experiments.flatMap((fields): ImportedDocument[] => {
      const where = `experiment ${textOf(fields.name) ?? textOf(fields.id) ?? ''}`;
      const content = report.attempt(where, 'it is not imported', () =>
        experimentOf(fields, uses, keys, environment, where, report),
      );
      return content === undefined ? [] : [{ where, name: content.key, content }];
    }),
  };
}

function metricOf(fields: Fields, sources: ReadonlyMap<string, Source>, where: string, report: Report) {
  const id = textOf(fields.id) ?? '';
  const name = textOf(fields.name) ?? id;
  const numerator = fieldsOf(fields.numerator);
  const table = textOf(numerator.factTableId);
  const found = sources.get(id) ?? (table === undefined ? undefined : sources.get(table));
  if (found === undefined)
    throw new NoEqual(
      `its rows come from SQL: name their OQL in the file of --sources, by ${table === undefined ? id : `${table} or ${id}`}`,
    );
  if (listOf(numerator.filters).length > 0 || isSet(numerator.inlineFilters) || isSet(numerator.rowFilters)) {
    if (!sources.has(id)) throw new NoEqual(`it filters the rows: name its own OQL in the file of --sources, by ${id}`);
  }
  const column = (given: Fields): string | undefined => {
    const wanted = textOf(given.column);
    if (wanted === undefined || wanted.startsWith('$$')) return undefined;
    const expression = textOf(found.columns[wanted]);
    if (expression === undefined) throw new NoEqual(`the file of --sources has no OQL for the column ${wanted}`);
    return expression;
  };
  const kind = kindOf(fields);
  const behavior = fieldsOf(fields.behavior);
  const capping = fieldsOf(fields.cappingSettings ?? behavior.cappingSettings);
  const window = fieldsOf(fields.windowSettings ?? behavior.windowSettings);
  const isDown = fields.inverse === true || behavior.goal === 'decrease';
  const value = kind === 'conversion' ? undefined : (column(numerator) ?? textOf(found.columns.value));
  const isCount = kind === 'sum' && value === undefined;
  if ((kind === 'ratio' || kind === 'quantile') && value === undefined)
    throw new NoEqual('it counts rows, which a percentile or the upper number of a ratio cannot do here');
  const below = kind === 'ratio' ? fieldsOf(fields.denominator) : {};
  if (kind === 'ratio' && textOf(below.factTableId) !== table)
    throw new NoEqual('its two numbers are from different tables, and here both are of one row');
  const denominator = column(below);
  if (capping.type === 'absolute') report.changed(where, 'it has no cap: caps are percentiles here');
  if (window.type === 'lookback') report.changed(where, 'it counts all rows after the exposure, not the last ones');
  if (numberOf(window.delayValue)) report.changed(where, 'rows count from the exposure on, without a delay');
  const cap = capping.type === 'percentile' ? numberOf(capping.value) : undefined;
  const quantile = kind === 'quantile' ? numberOf(fieldsOf(fields.quantileSettings).quantile) : undefined;
  if (kind === 'quantile' && fieldsOf(fields.quantileSettings).type === 'unit')
    report.changed(where, 'its percentile is that of rows, not of units');
  return {
    key: keyOf(name, false),
    name,
    ...(textOf(fields.description) !== undefined && { description: textOf(fields.description) }),
    kind: isCount ? 'count' : kind,
    source: found.source,
    unit: found.unit,
    ...(value !== undefined && { value }),
    // Without a column, it counts rows.
    ...(kind === 'ratio' && { denominator: denominator ?? '1' }),
    ...(quantile !== undefined && { quantile }),
    ...(window.type === 'conversion' && { window: durationOf(window) }),
    ...(isDown && { direction: 'down_is_good' }),
    ...(cap !== undefined && cap > 0.5 && cap < 1 && kind !== 'quantile' && kind !== 'conversion' && { cap }),
  };
}

/** GrowthBook's mean is per unit, which is a sum here. */
function kindOf({ metricType, type }: Fields): 'conversion' | 'sum' | 'ratio' | 'quantile' {
  switch (metricType ?? type) {
    case 'proportion':
    case 'binomial':
      return 'conversion';
    case 'mean':
    case 'count':
    case 'revenue':
    case 'duration':
      return 'sum';
    case 'ratio':
      return 'ratio';
    case 'quantile':
      return 'quantile';
    default:
      throw new NoEqual(`its kind is ${String(metricType ?? type)}`);
  }
}

const units: Readonly<Record<string, string>> = { minutes: 'm', hours: 'h', days: 'd', weeks: 'w' };

function durationOf({ windowValue, windowUnit }: Fields): string {
  const unit = units[textOf(windowUnit) ?? ''];
  const amount = numberOf(windowValue);
  if (unit === undefined || amount === undefined || !Number.isInteger(amount) || amount < 1)
    throw new NoEqual('its conversion window is no whole number of minutes, hours, days or weeks');
  return `${amount}${unit}`;
}

/** A flag that serves an experiment, with the value of each variation. */
interface Use {
  readonly flag: string;
  readonly environments: readonly string[];
  readonly values: ReadonlyMap<string, string>;
}

function usesOf(features: readonly Fields[]): ReadonlyMap<string, Use> {
  const uses = new Map<string, Use>();
  for (const feature of features)
    for (const [environment, given] of Object.entries(fieldsOf(feature.environments)))
      for (const rule of fieldsListOf(fieldsOf(given).rules)) {
        const id = textOf(rule.experimentId);
        if (id === undefined) continue;
        const values = fieldsListOf(rule.variations).map(
          (one) => [String(one.variationId), String(one.value)] as const,
        );
        const environments = [...(uses.get(id)?.environments ?? []), environment];
        uses.set(id, { flag: keyOf(textOf(feature.id) ?? '', true), environments, values: new Map(values) });
      }
  return uses;
}

interface Weighted {
  readonly variant: string;
  readonly weight: number;
}

function experimentOf(
  fields: Fields,
  uses: ReadonlyMap<string, Use>,
  metrics: ReadonlyMap<string, string>,
  environment: string | undefined,
  where: string,
  report: Report,
) {
  if (fields.archived === true) throw new NoEqual('it is archived');
  const id = textOf(fields.id) ?? '';
  const use = uses.get(id);
  if (use === undefined) throw new NoEqual('no feature of the files serves it: add the list of features');
  const [first, ...others] = use.environments;
  const place = environment ?? first;
  if (place === undefined) throw new NoEqual('it has no environment: use --environment');
  if (environment === undefined && others.length > 0)
    report.changed(where, `it is imported for ${place} only; an experiment has one environment here`);
  const phase = fieldsListOf(fields.phases).at(-1);
  if (phase === undefined) throw new NoEqual('it has no phase with weights');
  const variants = variantsOf(phase, use);
  if (isSet(phase.targetingCondition) && phase.targetingCondition !== '{}')
    report.lost(where, 'its targeting is not imported: put it into the rules of the flag');
  if (isSet(fieldsOf(phase.namespace).namespaceId)) report.lost(where, 'its namespace is not imported: use a layer');
  report.changed(
    where,
    'it is a draft with a new salt: units get other variants than before, and results start from zero',
  );
  const coverage = numberOf(phase.coverage) ?? 1;
  const attribute = textOf(fields.hashAttribute);
  const settings = fieldsOf(fields.settings);
  const named = (list: unknown) =>
    fieldsListOf(list).flatMap(({ metricId }) => {
      const key = metrics.get(String(metricId));
      if (key === undefined)
        report.lost(where, `the metric ${String(metricId)} is not in the files, or was not imported`);
      return key ?? [];
    });
  const [goals, secondary, guardrails] = [settings.goals, settings.secondaryMetrics, settings.guardrails].map(named);
  const name = textOf(fields.name) ?? id;
  return {
    key: keyOf(textOf(fields.trackingKey) ?? name, false),
    name,
    ...(textOf(fields.hypothesis) !== undefined && { hypothesis: textOf(fields.hypothesis) }),
    flag: use.flag,
    environment: place,
    control: variants[0].variant,
    variants,
    ...(attribute !== undefined && attribute !== 'id' && { bucket_by: attribute }),
    ...(coverage > 0 && coverage < 1 && { traffic: { share: Math.round(coverage * 100_000) } }),
    metrics: { goals, secondary, guardrails },
    ...(settings.statsEngine === 'bayesian' && { analysis: { engine: 'bayesian' } }),
  };
}

/** The variants of a phase, the control first, with their weights of 100,000. */
function variantsOf(phase: Fields, { values }: Use): readonly [Weighted, ...Weighted[]] {
  const [control, ...rest] = fieldsListOf(phase.trafficSplit).map(({ variationId, weight }) => {
    const value = values.get(String(variationId));
    if (value === undefined || isFields(value))
      throw new NoEqual(`the feature has no value for ${String(variationId)}`);
    return { variant: keyOf(value, true).slice(0, 40), weight: numberOf(weight) ?? 0 };
  });
  if (control === undefined || rest.length === 0) throw new NoEqual('it has fewer than two variations');
  const sum = rest.reduce((total, { weight }) => total + weight, control.weight);
  const others = rest.map(({ variant, weight }) => ({ variant, weight: Math.round((weight / sum) * 100_000) }));
  const taken = others.reduce((total, { weight }) => total + weight, 0);
  return [{ variant: control.variant, weight: 100_000 - taken }, ...others];
}
