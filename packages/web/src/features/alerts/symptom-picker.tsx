import { useMemo } from 'react';
import {
  emptySymptom,
  QUANTILES,
  type Quantile,
  SYMPTOMS,
  type Symptom,
  type SymptomKind,
  signalOf,
} from '../../alerting/symptom-rules.ts';
import targetClasses from '../../alerting/target-fields.module.css';
import { TargetFields } from '../../alerting/target-fields.tsx';
import { useAnswer } from '../../alerting/use-answer.ts';
import { useFieldHints } from '../../telemetry/field-hints.ts';
import { Select, TagsInput } from '../../ui/mantine.ts';
import { useFieldNames } from '../explore/use-names.ts';
import { LIST_ROWS, listedMetrics, listQuery } from '../metrics/metric-grid.ts';
import { AGGREGATIONS, aggregationsOf } from '../metrics/metric-query.ts';

const LAST_DAY = { from: 'now-1d', to: 'now' };
const HELP: Readonly<Record<SymptomKind, string>> = {
  errors: 'The share of requests that failed',
  latency: 'How long requests take',
  traffic: 'Fires when fewer requests arrive, or none',
  silence: 'Fires when no spans arrive at all',
  log_errors: 'The number of log lines of the level error or above',
  metric: 'The value of a metric',
};

/** Chooses what a rule watches, without OQL. */
export function SymptomPicker({
  symptom: chosen,
  environment,
  onChange,
}: {
  /** Null until something is chosen. */
  symptom: Symptom | null;
  environment: string | undefined;
  onChange: (symptom: Symptom) => void;
}) {
  const symptom = chosen ?? emptySymptom;
  const { kind } = symptom;
  const set = (change: Partial<Symptom>) => onChange({ ...symptom, ...change });
  const names = useFieldNames(signalOf(kind), useFieldHints());
  return (
    <div className={targetClasses.fields}>
      <Select
        label="Watch"
        description={chosen !== null && HELP[kind]}
        placeholder="Choose what to watch"
        data={Object.entries(SYMPTOMS).map(([value, label]) => ({ value, label }))}
        value={chosen === null ? null : kind}
        onChange={(next) => set({ kind: next as SymptomKind })}
      />
      {kind === 'latency' && (
        <Select
          label="Percentile"
          description="p95: 5% of the requests take longer"
          data={[...QUANTILES]}
          value={symptom.quantile}
          onChange={(next) => set({ quantile: next as Quantile })}
        />
      )}
      {kind === 'metric' && <MetricFields symptom={symptom} environment={environment} set={set} />}
      <TargetFields
        target={symptom}
        environment={environment}
        hasOperations={signalOf(kind) === 'spans'}
        onChange={set}
      />
      <TagsInput
        label="Split by"
        description="Each value is watched on its own"
        placeholder={symptom.by.length === 0 ? 'Nothing' : ''}
        // OQL cannot name a field with a backtick.
        data={names.filter((name) => !name.includes('`'))}
        value={[...symptom.by]}
        onChange={(by) => set({ by: by.map((one) => one.replaceAll('`', '')) })}
      />
    </div>
  );
}

function MetricFields({
  symptom: { metric, aggregation, histogram },
  environment,
  set,
}: {
  symptom: Symptom;
  environment: string | undefined;
  set: (change: Partial<Symptom>) => void;
}) {
  const { data } = useAnswer(listQuery, { range: LAST_DAY, environment, limit: LIST_ROWS });
  const metrics = useMemo(() => new Map(data && listedMetrics(data.result).map((one) => [one.name, one])), [data]);
  const choicesOf = (name: string) => {
    const of = metrics.get(name);
    const suited = of === undefined ? [] : aggregationsOf(of).filter((one) => one !== 'quantiles');
    return { suited, isHistogram: of?.kind.endsWith('histogram') ?? histogram };
  };
  const { suited } = choicesOf(metric);
  return (
    <>
      <Select
        label="Metric"
        description={data && metrics.size === 0 ? 'No metric arrived within a day.' : undefined}
        placeholder="Choose a metric"
        searchable
        limit={200}
        data={[...new Set([...metrics.keys(), ...(metric === '' ? [] : [metric])])]}
        value={metric === '' ? null : metric}
        onChange={(next) => {
          if (next === null) return;
          const { suited: choices, isHistogram } = choicesOf(next);
          const kept = choices.includes(aggregation) || choices.length === 0;
          set({ metric: next, histogram: isHistogram, aggregation: kept ? aggregation : (choices[0] ?? aggregation) });
        }}
      />
      <Select
        label="Aggregation"
        data={[...new Set([...suited, aggregation])].map((value) => ({ value, label: AGGREGATIONS[value] }))}
        value={aggregation}
        onChange={(next) => set({ aggregation: next as Symptom['aggregation'] })}
      />
    </>
  );
}
