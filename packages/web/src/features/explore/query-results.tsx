import type { QueryLanguage } from '@fanion/contract';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useScope } from '../../app/session.ts';
import { useTimeRange } from '../../app/time-range.ts';
import { Annotations } from '../../telemetry/annotations.tsx';
import { type Picked, valueCondition } from '../../telemetry/filters.ts';
import type { OqlAnswer } from '../../telemetry/oql.ts';
import { flagOf, serviceOf } from '../../telemetry/query-subject.ts';
import { ResultList } from '../../telemetry/result-list.tsx';
import { ResultTable } from '../../telemetry/result-table.tsx';
import { axisFormat, chartsByUnit, formatCell, resultCharts, withVariantColours } from '../../telemetry/results.ts';
import { WidenRange } from '../../telemetry/widen-range.tsx';
import { Chart } from '../../ui/chart/chart.tsx';
import { countOf, formatBytes, formatMilliseconds } from '../../ui/format/index.ts';
import { SegmentedControl, Stack, useComputedColorScheme } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { EmptyState, Notice } from '../../ui/states.tsx';
import { describeRange } from '../../ui/time/time-range.ts';
import { useFlagColours } from '../flags/use-flag-colours.ts';
import { addCondition, summarise } from './builder.ts';
import { DownloadButtons, DownloadNotice, useDownload } from './downloads.tsx';
import classes from './explore.module.css';
import { histogramOf } from './histogram.ts';
import { HistogramChart } from './histogram-chart.tsx';
import { groupStage, queryFacts } from './query-facts.ts';
import { stageKeys } from './stage-keys.ts';

type View = 'chart' | 'table' | 'list';

const VIEW_NAMES: Record<View, string> = { chart: 'Chart', table: 'Table', list: 'List' };

/** A query result: its cost, its warnings, and its data as chart, numbers or table. */
export function QueryResults({
  answer,
  query: text,
  language,
  onRun,
}: {
  answer: OqlAnswer;
  query: string;
  language: QueryLanguage;
  /** Runs another query in place of this one. */
  onRun: (query: string) => void;
}) {
  const { view: chosen } = useSearch({ from: '/w/$ws/$project/explore' });
  const { result } = answer;
  const download = useDownload(text, language);
  // Only the text of OQL says more of the columns than the answer does.
  const isOql = language === 'oql';
  const query = isOql ? text : '';
  const histogram = useMemo(() => histogramOf(query, result), [query, result]);
  const views: View[] =
    result.kind === 'timeseries' || histogram !== undefined ? ['chart', 'table', 'list'] : ['table', 'list'];
  const view = views.find((one) => one === chosen) ?? views[0] ?? 'table';
  const facts = useMemo(() => queryFacts(query), [query]);
  return (
    <Stack gap="md">
      <ResultBar answer={answer} views={views} view={view} download={download} />
      <DownloadNotice download={download} />
      {answer.truncated && <Cut rows={result.rows.length} isOql={isOql} />}
      {answer.warnings.map((warning) => (
        <Notice kind="warning" key={warning}>
          {warning}
        </Notice>
      ))}
      <ResultBody
        answer={answer}
        query={query}
        view={view}
        histogram={histogram}
        facts={facts}
        onRun={isOql ? onRun : undefined}
      />
    </Stack>
  );
}

function ResultBody({
  answer,
  query,
  view,
  histogram,
  facts,
  onRun,
}: {
  answer: OqlAnswer;
  query: string;
  view: View;
  histogram: ReturnType<typeof histogramOf>;
  facts: ReturnType<typeof queryFacts>;
  /** Undefined: values can only be copied. */
  onRun: ((query: string) => void) | undefined;
}) {
  const { result } = answer;
  const record = {
    fieldOf: facts.fieldOf,
    ...(onRun && {
      actions: {
        filter: (picked: Picked, exclude: boolean) => onRun(addCondition(query, valueCondition(picked, exclude))),
        groupBy: (field: string) => onRun(summarise(query, groupStage(field))),
      },
    }),
  };
  if (result.rows.length === 0) return <NoRows />;
  if (result.kind === 'scalar') return <Scalars answer={answer} ratios={facts.ratios} />;
  if (view === 'chart' && histogram !== undefined)
    return (
      <HistogramChart
        histogram={histogram}
        keys={result.columns.map(({ name }) => name).filter((name) => name !== 'bucket' && name !== 'count')}
      />
    );
  if (view === 'chart')
    return (
      <Annotations service={serviceOf(query)}>
        <Charts answer={answer} query={query} ratios={facts.ratios} />
      </Annotations>
    );
  if (view === 'list') return <ResultList result={result} label="Query results" view={record} />;
  return (
    <ResultTable
      result={result}
      label="Query results"
      view={{
        ...record,
        ratios: facts.ratios,
        filtersOnClick: facts.aggregated,
        showsContext: facts.showsContext,
      }}
    />
  );
}

/** The size and cost of an answer, the choice of its view, and downloads. */
function ResultBar({
  answer,
  views,
  view,
  download,
}: {
  answer: OqlAnswer;
  views: readonly View[];
  view: View;
  download: ReturnType<typeof useDownload>;
}) {
  const navigate = useNavigate();
  const { result } = answer;
  const setView = (next: string) =>
    navigate({ to: '.', search: (old) => ({ ...old, view: next === views[0] ? undefined : next }), replace: true });
  return (
    <div className={classes.meta}>
      {result.kind !== 'scalar' && (
        <SegmentedControl
          aria-label="Show as"
          value={view}
          onChange={setView}
          data={views.map((value) => ({ value, label: VIEW_NAMES[value] }))}
        />
      )}
      <span>{countOf(result.rows.length, 'row')}</span>
      {answer.took_ms !== null && <span>{formatMilliseconds(answer.took_ms)}</span>}
      {answer.rows_read !== null && <span>{countOf(answer.rows_read, 'row')} read</span>}
      {answer.bytes_read !== null && <span>{formatBytes(answer.bytes_read)}</span>}
      <span style={{ flex: 1 }} />
      <DownloadButtons download={download} disabled={result.rows.length === 0} />
    </div>
  );
}

function Cut({ rows, isOql }: { rows: number; isOql: boolean }) {
  return (
    <Notice kind="warning">
      Only the first {countOf(rows, 'row')} are shown. Narrow the query down
      {isOql && (
        <>
          , or end it with a larger <code>limit</code>
        </>
      )}
      .
    </Notice>
  );
}

function NoRows() {
  const { range } = useTimeRange();
  return (
    <EmptyState title="No matches" action={<WidenRange />}>
      The query is valid, but no rows matched it in this window ({describeRange(range)}). Widen the range, or take a
      condition out.
    </EmptyState>
  );
}

function Scalars({ answer, ratios }: { answer: OqlAnswer; ratios: ReadonlySet<string> }) {
  const { columns, rows } = answer.result;
  return (
    <dl className={classes.scalars}>
      {columns.map((column, index) => (
        <div className={classes.scalar} key={column.name}>
          <dt>{column.name}</dt>
          <dd title={String(rows[0]?.[index] ?? '')}>
            {formatCell(rows[0]?.[index], ratios.has(column.name) ? 'ratio' : column.type)}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Charts({ answer, query, ratios }: { answer: OqlAnswer; query: string; ratios: ReadonlySet<string> }) {
  const scheme = useComputedColorScheme();
  const { zoomTo } = useTimeRange();
  const [kind, setKind] = useState<'line' | 'bars'>('line');
  const { project } = useScope();
  const key = useMemo(() => flagOf(query), [query]);
  const variants = useFlagColours(key === undefined ? undefined : { project, key });
  const charts = useMemo(() => {
    const plain = resultCharts(answer.result, scheme, stageKeys(query));
    return chartsByUnit(withVariantColours(plain, answer.result.columns, variants), scheme, ratios);
  }, [answer.result, scheme, query, ratios, variants]);
  return (
    <div className={classes.charts}>
      {charts.map(({ measures, type, times, series }, index) => (
        <Panel
          key={measures.join()}
          title={measures.join(', ')}
          actions={
            index === 0 && (
              <SegmentedControl
                aria-label="Draw as"
                value={kind}
                onChange={(next) => setKind(next === 'bars' ? 'bars' : 'line')}
                data={[
                  { value: 'line', label: 'Lines' },
                  { value: 'bars', label: 'Bars' },
                ]}
              />
            )
          }
        >
          <Chart
            label={`${measures.join(', ')} over time`}
            times={times}
            series={series}
            window={answer.window}
            kind={kind}
            format={axisFormat(type)}
            height={charts.length === 1 ? 300 : 200}
            legend="table"
            onZoom={zoomTo}
            syncKey="explore"
          />
        </Panel>
      ))}
    </div>
  );
}
