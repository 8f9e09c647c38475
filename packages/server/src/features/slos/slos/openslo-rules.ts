import type { QueryLanguage, SloIndicator, SloWindow } from '@fanion/contract';

/**
 * SLOs as documents of OpenSLO v1 (https://github.com/OpenSLO/OpenSLO, `apiVersion: openslo/v1`, `kind: SLO`). Sources of metrics are of the
 * type `fanion`; what OpenSLO has no field for is in their `spec`.
 */
export interface OpenSlo {
  readonly apiVersion: 'openslo/v1';
  readonly kind: 'SLO';
  readonly metadata: { readonly name: string; readonly displayName: string };
  readonly spec: Readonly<Record<string, unknown>>;
}

export interface SloFacts {
  readonly name: string;
  readonly description: string;
  readonly indicator: SloIndicator;
  readonly objective: number;
  readonly window: SloWindow;
}

const operators = { '<': 'lt', '<=': 'lte', '>': 'gt', '>=': 'gte' } as const;
const units = { week: '1w', month: '1M', quarter: '1Q' } as const;

/** Comparisons for equality have no name in OpenSLO: they stay in the source's `spec`. */
export function toOpenSlo({ name, description, indicator, objective, window }: SloFacts, service: string): OpenSlo {
  const source = (spec: object) => ({ metricSource: { type: 'fanion', spec } });
  const language = indicator.kind === 'events' ? 'oql' : (indicator.query_language ?? 'oql');
  const key = name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const sli =
    indicator.kind === 'slices'
      ? { thresholdMetric: source({ [language]: indicator.query, op: indicator.op }) }
      : {
          ratioMetric:
            indicator.kind === 'events'
              ? {
                  counter: true,
                  good: source({ source: indicator.source, condition: indicator.good }),
                  total: source({ source: indicator.source }),
                }
              : {
                  counter: true,
                  good: source({ [language]: indicator.good }),
                  total: source({ [language]: indicator.total }),
                },
        };
  const op = indicator.kind === 'slices' ? operators[indicator.op as keyof typeof operators] : undefined;
  return {
    apiVersion: 'openslo/v1',
    kind: 'SLO',
    metadata: { name: key.slice(0, 63).replace(/^-|-$/g, '') || 'slo', displayName: name },
    spec: {
      description,
      service,
      indicator: { metadata: { name: `${key.slice(0, 50)}-indicator` }, spec: sli },
      timeWindow: [
        window.kind === 'rolling'
          ? { duration: window.period, isRolling: true }
          : {
              duration: units[window.unit],
              isRolling: false,
              // A Monday, and the first day of a quarter.
              calendar: { startTime: '2024-01-01 00:00:00', timeZone: window.time_zone },
            },
      ],
      budgetingMethod: indicator.kind === 'slices' ? 'Timeslices' : 'Occurrences',
      objectives: [
        {
          displayName: name,
          target: objective,
          ...(indicator.kind === 'slices' && {
            ...(op !== undefined && { op }),
            value: indicator.threshold,
            timeSliceTarget: 1,
            timeSliceWindow: indicator.slice,
          }),
        },
      ],
    },
  };
}

/** An SLO from a document, or why it cannot be imported, with the path of what stands in the way. */
export function fromOpenSlo(
  document: unknown,
): { readonly slo: SloFacts } | { readonly path: string; readonly problem: string } {
  const root = fieldsOf(document);
  const spec = fieldsOf(root.spec);
  const metadata = fieldsOf(root.metadata);
  const no = (path: string, problem: string) => ({ path, problem });
  if (root.apiVersion !== 'openslo/v1') return no('apiVersion', 'only openslo/v1 is supported');
  if (root.kind !== 'SLO') return no('kind', 'only documents of the kind SLO are supported');
  const name = textOf(metadata.displayName) ?? textOf(metadata.name);
  if (name === undefined) return no('metadata.name', 'is missing');
  const method = spec.budgetingMethod ?? 'Occurrences';
  if (method === 'RatioTimeslices')
    return no(
      'spec.budgetingMethod',
      'RatioTimeslices is not supported: it averages ratios of slices, and budgets here are sums of events or of slices. Use Occurrences or Timeslices',
    );
  if (method !== 'Occurrences' && method !== 'Timeslices')
    return no('spec.budgetingMethod', `${String(method)} is not supported: use Occurrences or Timeslices`);
  if (spec.indicatorRef !== undefined) return no('spec.indicatorRef', 'is not supported: write the indicator inline');
  const objectives = Array.isArray(spec.objectives) ? spec.objectives : [];
  if (objectives.length !== 1) return no('spec.objectives', 'must have one objective: create an SLO for each');
  const objective = fieldsOf(objectives[0]);
  const percent = numberOf(objective.targetPercent);
  // 99.9 / 100 is not 0.999 in binary.
  const target =
    numberOf(objective.target) ?? (percent === undefined ? undefined : Number((percent / 100).toFixed(12)));
  if (target === undefined) return no('spec.objectives[0].target', 'is missing');
  const window = windowOf(spec.timeWindow);
  if ('problem' in window) return window;
  const sli = fieldsOf(fieldsOf(spec.indicator).spec);
  const indicator = method === 'Timeslices' ? slicesOf(sli, objective) : ratioOf(sli);
  if ('problem' in indicator) return indicator;
  return { slo: { name, description: textOf(spec.description) ?? '', indicator, objective: target, window } };
}

type Refusal = { readonly path: string; readonly problem: string };

function windowOf(value: unknown): SloWindow | Refusal {
  const path = 'spec.timeWindow[0]';
  const windows = Array.isArray(value) ? value : [];
  if (windows.length !== 1) return { path: 'spec.timeWindow', problem: 'must have one window' };
  const window = fieldsOf(windows[0]);
  const duration = textOf(window.duration);
  if (window.isRolling === true || window.calendar === undefined) {
    const period = duration === '1w' ? '7d' : duration === '4w' ? '28d' : duration;
    if (period === '7d' || period === '28d' || period === '30d' || period === '90d') return { kind: 'rolling', period };
    return { path: `${path}.duration`, problem: `${duration} is not supported: use 7d, 28d, 30d or 90d` };
  }
  const unit = Object.entries(units).find(([, text]) => text === duration)?.[0];
  const time_zone = textOf(fieldsOf(window.calendar).timeZone);
  if (time_zone === undefined) return { path: `${path}.calendar.timeZone`, problem: 'is missing' };
  if (unit === 'week' || unit === 'month' || unit === 'quarter') return { kind: 'calendar', unit, time_zone };
  return { path: `${path}.duration`, problem: `${duration} is not supported: use 1w, 1M or 1Q` };
}

function sourceOf(metric: unknown, path: string): Readonly<Record<string, unknown>> | Refusal {
  const { type, spec, metricSourceRef } = fieldsOf(fieldsOf(metric).metricSource);
  if (type === 'fanion') return fieldsOf(spec);
  const named = textOf(type) ?? textOf(metricSourceRef) ?? 'none';
  return {
    path: `${path}.metricSource.type`,
    problem: `the source ${named} is not supported: write its query as type fanion with spec.oql or spec.promql`,
  };
}

function ratioOf(sli: Readonly<Record<string, unknown>>): SloIndicator | Refusal {
  const path = 'spec.indicator.spec.ratioMetric';
  const metric = fieldsOf(sli.ratioMetric);
  if (metric.good === undefined || metric.total === undefined)
    return { path, problem: 'needs good and total; bad and raw are not supported' };
  const good = sourceOf(metric.good, `${path}.good`);
  if ('problem' in good) return good as Refusal;
  const total = sourceOf(metric.total, `${path}.total`);
  if ('problem' in total) return total as Refusal;
  const [source, condition] = [textOf(good.source), textOf(good.condition)];
  if (source !== undefined && condition !== undefined && total.source === source)
    return { kind: 'events', source, good: condition };
  const language = languageOf(good);
  const [goodQuery, totalQuery] = [textOf(good[language]), textOf(total[language])];
  if (goodQuery === undefined || totalQuery === undefined)
    return {
      path,
      problem:
        'needs spec.oql or spec.promql in both good and total, or the same spec.source in both and spec.condition in good',
    };
  return { kind: 'ratio', ...inLanguage(language), good: goodQuery, total: totalQuery };
}

function slicesOf(
  sli: Readonly<Record<string, unknown>>,
  objective: Readonly<Record<string, unknown>>,
): SloIndicator | Refusal {
  const path = 'spec.indicator.spec.thresholdMetric';
  if (sli.thresholdMetric === undefined) return { path, problem: 'is missing: Timeslices need a thresholdMetric' };
  const source = sourceOf(sli.thresholdMetric, path);
  if ('problem' in source) return source as Refusal;
  const language = languageOf(source);
  const query = textOf(source[language]);
  if (query === undefined) return { path: `${path}.metricSource.spec.oql`, problem: 'is missing' };
  const named = Object.entries(operators).find(([, text]) => text === objective.op)?.[0] ?? source.op;
  if (named !== '<' && named !== '<=' && named !== '>' && named !== '>=' && named !== '==' && named !== '!=')
    return { path: 'spec.objectives[0].op', problem: 'is missing: use lt, lte, gt or gte' };
  const threshold = numberOf(objective.value);
  if (threshold === undefined) return { path: 'spec.objectives[0].value', problem: 'is missing' };
  const slice = textOf(objective.timeSliceWindow) ?? '1m';
  if (slice !== '1m' && slice !== '5m' && slice !== '10m' && slice !== '15m' && slice !== '30m' && slice !== '1h')
    return {
      path: 'spec.objectives[0].timeSliceWindow',
      problem: `${slice} is not supported: use 1m, 5m, 10m, 15m, 30m or 1h`,
    };
  return { kind: 'slices', ...inLanguage(language), query, op: named, threshold, slice };
}

function languageOf(source: Readonly<Record<string, unknown>>): QueryLanguage {
  return textOf(source.promql) === undefined ? 'oql' : 'promql';
}

function inLanguage(language: QueryLanguage) {
  return language === 'promql' && { query_language: language };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
