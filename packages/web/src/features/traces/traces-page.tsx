import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useScope } from '../../app/session.ts';
import { TelemetryControls } from '../../app/telemetry-controls.tsx';
import { useTimeRange } from '../../app/time-range.ts';
import { bucketWidth } from '../../telemetry/bucket-width.ts';
import { ConditionInput } from '../../telemetry/condition-input.tsx';
import { ConditionEditor } from '../../telemetry/editor/lazy.tsx';
import { EmptyWindow } from '../../telemetry/empty-window.tsx';
import { ServiceFilter } from '../../telemetry/filter-bar.tsx';
import { type Picked, valueCondition } from '../../telemetry/filters.ts';
import { type OqlAnswer, useOql } from '../../telemetry/oql.ts';
import { asRecords, resultCharts } from '../../telemetry/results.ts';
import { ViewSwitch } from '../../telemetry/view-switch.tsx';
import { Chart } from '../../ui/chart/chart.tsx';
import { countOf } from '../../ui/format/index.ts';
import { Group, SegmentedControl, useComputedColorScheme } from '../../ui/mantine.ts';
import { Page, Panel } from '../../ui/page.tsx';
import { ErrorState, Loading } from '../../ui/states.tsx';
import { resolveRange } from '../../ui/time/time-range.ts';
import { HeatView } from './heat-view.tsx';
import { TraceList } from './trace-list.tsx';
import { distinctTraces } from './trace-rows.ts';
import {
  groupQuery,
  LIMIT,
  MOST_TRACES,
  searchConditions,
  type TraceSearch,
  tracesQuery,
  volumeQuery,
} from './trace-search.ts';

const VIEWS = [
  { value: 'both', label: 'Heat map and list' },
  { value: 'heat', label: 'Heat map' },
  { value: 'list', label: 'List' },
] as const;

/** Finds traces by service, outcome, duration or any OQL condition on their spans. */
export function TracesPage() {
  const search = useSearch({ from: '/w/$ws/$project/traces' });
  const navigate = useNavigate();
  const scope = useScope();
  const { range } = useTimeRange();
  const window = resolveRange(range, Date.now());
  const conditions = searchConditions(search);
  const view = search.view === 'heat' || search.view === 'list' ? search.view : 'both';
  const traces = useOql(view === 'heat' ? null : tracesQuery(conditions), { limit: LIMIT, keep: true });
  const bucket = bucketWidth((window?.to ?? 1) - (window?.from ?? 0)).text;
  const volume = useOql(view === 'list' ? volumeQuery(conditions, bucket) : null, { keep: true });
  const matches = useMemo(() => (traces.data ? asRecords(traces.data.result) : []), [traces.data]);
  const traceIds = useMemo(() => distinctTraces(matches, MOST_TRACES), [matches]);
  const set = (next: Partial<typeof search>) => void navigate({ to: '.', search: (old) => ({ ...old, ...next }) });
  const actions = {
    // A trace is listed for any of its spans; the values are those of its root.
    filter: (picked: Picked, exclude: boolean) => {
      const condition = valueCondition(picked, exclude);
      const root = search.q === undefined ? 'root' : `(${search.q})`;
      set({ q: `${root} and ${condition}` });
    },
    groupBy: (field: string) =>
      void navigate({
        to: '/w/$ws/$project/explore',
        params: scope,
        search: { q: groupQuery(conditions, field) },
      }),
  };
  const more = traces.data?.truncated === true || matches.length === LIMIT || traceIds.length === MOST_TRACES;

  return (
    <Page title="Traces" actions={<TelemetryControls />}>
      <TraceFilters search={search} view={view} set={set} />
      {view !== 'list' && <HeatView conditions={conditions} isAbove={view === 'both'} />}
      {view === 'heat' ? null : traces.isError ? (
        <ErrorState error={traces.error} onRetry={() => void traces.refetch()} />
      ) : traces.isPending ? (
        <Loading label="Searching for traces" />
      ) : (
        <>
          {view === 'list' && volume.data && <MatchesOverTime answer={volume.data} />}
          {traceIds.length === 0 ? (
            <EmptyWindow title="No traces found">Remove a condition, or widen the time range.</EmptyWindow>
          ) : (
            <Panel
              title={more ? `The newest ${countOf(traceIds.length, 'trace')}` : countOf(traceIds.length, 'trace')}
              actions={more && <span className="dim">Narrow the search or the time range to see others</span>}
              tight
            >
              <TraceList traceIds={traceIds} matches={matches} actions={actions} />
            </Panel>
          )}
        </>
      )}
    </Page>
  );
}

type Search = TraceSearch & { view?: string | undefined; box?: string | undefined };

/** What is shown, and the conditions on the spans of the traces. */
function TraceFilters({
  search,
  view,
  set,
}: {
  search: Search;
  view: 'heat' | 'list' | 'both';
  set: (next: Search) => void;
}) {
  return (
    <Group gap="sm">
      <ViewSwitch views={VIEWS} value={view} onChange={(next) => set({ view: next, box: undefined })} />
      <ServiceFilter value={search.service} onChange={(service) => set({ service })} />
      <SegmentedControl
        aria-label="Outcome"
        value={search.status === 'error' ? 'error' : 'any'}
        onChange={(next) => set({ status: next === 'error' ? 'error' : undefined })}
        data={[
          { value: 'any', label: 'All' },
          { value: 'error', label: 'Errors' },
        ]}
      />
      <ConditionInput
        label="At least this long"
        placeholder="min. 100ms"
        width={130}
        value={search.min ?? ''}
        onChange={(min) => set({ min })}
      />
      <ConditionEditor
        label="Condition on spans in OQL"
        placeholder={'http.route == "/cart" and http.response.status_code >= 500'}
        source="spans"
        value={search.q ?? ''}
        onChange={(q) => set({ q })}
      />
    </Group>
  );
}

function MatchesOverTime({ answer }: { answer: OqlAnswer }) {
  const scheme = useComputedColorScheme();
  const { zoomTo } = useTimeRange();
  const [chart] = useMemo(() => resultCharts(answer.result, scheme), [answer, scheme]);
  if (chart === undefined || chart.times.length === 0) return null;
  return (
    <Panel title="Matches over time">
      <Chart
        label="Matches over time"
        times={chart.times}
        series={chart.series}
        window={answer.window}
        kind="bars"
        height={120}
        legend={false}
        onZoom={zoomTo}
      />
    </Panel>
  );
}
