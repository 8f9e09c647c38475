import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { MakeAlert } from '../../alerting/make-alert.tsx';
import { MakeSlo } from '../../alerting/make-slo.tsx';
import { useScope } from '../../app/session.ts';
import { TelemetryControls } from '../../app/telemetry-controls.tsx';
import { ConditionEditor } from '../../telemetry/editor/lazy.tsx';
import { ServiceFilter } from '../../telemetry/filter-bar.tsx';
import { FilterChips } from '../../telemetry/filter-chips.tsx';
import { filtersText, parseFilters, withFilter } from '../../telemetry/filters.ts';
import { ViewSwitch } from '../../telemetry/view-switch.tsx';
import { Button, Group, Select, useMediaQuery } from '../../ui/mantine.ts';
import { Page } from '../../ui/page.tsx';
import { AddButton } from '../dashboards/add-button.tsx';
import { HiddenEvaluations } from './hidden-evaluations.tsx';
import { LiveLines } from './live-lines.tsx';
import { LogFacets } from './log-facets.tsx';
import { LogLines } from './log-lines.tsx';
import { LogPatterns } from './log-patterns.tsx';
import {
  alertQuery,
  groupQuery,
  hidesEvaluations,
  type LogSearch,
  SEVERITIES,
  searchConditions,
  shapesCondition,
  sloOf,
} from './log-search.ts';
import classes from './logs.module.css';

const ANY = '*';
const VIEWS = [
  { value: 'lines', label: 'Lines' },
  { value: 'patterns', label: 'Patterns' },
  { value: 'live', label: 'Live' },
] as const;

/** Logs: the lines of a time range, their patterns, or lines as they arrive. */
export function LogsPage() {
  // Without the line that is open: opening one draws only the list again.
  const search = useSearch({
    from: '/w/$ws/$project/logs',
    select: ({ log: _, ...shown }) => shown,
    structuralSharing: true,
  });
  const navigate = useNavigate();
  const view = VIEWS.find(({ value }) => value === search.view)?.value ?? 'lines';
  const wide = useMediaQuery('(min-width: 1200px)', true, { getInitialValueInEffect: false });
  const withFields = view === 'lines' && (search.fields === undefined ? wide : search.fields === 'show');
  const filters = parseFilters(search.where);
  const setFilters = (next: readonly string[]) => set({ where: filtersText(next) });
  const set = (next: Partial<typeof search>) =>
    void navigate({ to: '.', search: (old) => ({ ...old, log: undefined, ...next }) });

  /** Changes how lines are shown; the open one stays open. */
  const keep = (next: Partial<typeof search>) => void navigate({ to: '.', search: (old) => ({ ...old, ...next }) });

  return (
    <Page
      title="Logs"
      actions={
        <>
          <MakeAlert query={alertQuery(searchConditions(search))} />
          <MakeSlo of={sloOf(searchConditions(search))} />
          <AddButton choices={[{ label: 'Lines', query: groupQuery(searchConditions(search), 'service.name') }]} />
          <TelemetryControls />
        </>
      }
    >
      <Filters search={search} view={view} withFields={withFields} set={set} keep={keep} />
      <FilterChips filters={filters} onChange={setFilters} />
      <HiddenEvaluations search={search} onChange={(evaluations) => set({ evaluations })} />
      {view === 'patterns' ? (
        <LogPatterns search={search} onFilter={(shapes) => set({ view: undefined, q: shapesCondition(shapes) })} />
      ) : view === 'live' ? (
        <LiveLines conditions={searchConditions(search)} />
      ) : (
        <LineView search={search} withFields={withFields} filters={filters} onFilters={setFilters} keep={keep} />
      )}
    </Page>
  );
}

type Search = LogSearch & Partial<Record<'view' | 'fields' | 'wrap' | 'cols', string | undefined>>;

/** What is shown, and which lines. `keep` changes the address like `set`, and the open line stays open. */
function Filters({
  search,
  view,
  withFields,
  set,
  keep,
}: {
  search: Search;
  view: (typeof VIEWS)[number]['value'];
  withFields: boolean;
  set: (next: Search) => void;
  keep: (next: Search) => void;
}) {
  return (
    <Group gap="sm">
      <ViewSwitch views={VIEWS} value={view} onChange={(next) => set({ view: next })} />
      {view === 'lines' && (
        <Button
          variant={withFields ? 'light' : 'default'}
          aria-pressed={withFields}
          onClick={() => set({ fields: withFields ? 'hide' : 'show' })}
        >
          Fields
        </Button>
      )}
      {view === 'lines' && (
        <Button
          variant={search.wrap === '1' ? 'light' : 'default'}
          aria-pressed={search.wrap === '1'}
          onClick={() => keep({ wrap: search.wrap === '1' ? undefined : '1' })}
        >
          Wrap
        </Button>
      )}
      <ServiceFilter value={search.service} onChange={(service) => set({ service })} />
      <SeverityFilter value={search.severity} onChange={(severity) => set({ severity })} />
      <ConditionEditor
        label="Words in the body, or a condition in OQL"
        placeholder={'payment timeout, or: order.id == "o-17"'}
        source="logs"
        value={search.q ?? ''}
        onChange={(q) => set({ q })}
      />
    </Group>
  );
}

function SeverityFilter({
  value,
  onChange,
}: {
  value: string | undefined;
  onChange: (severity: string | undefined) => void;
}) {
  return (
    <Select
      aria-label="Severity"
      w={150}
      value={value ?? ANY}
      data={[
        { value: ANY, label: 'Any severity' },
        ...SEVERITIES.map((level) => ({ value: level, label: level === 'fatal' ? 'fatal' : `${level} and above` })),
      ]}
      onChange={(next) => onChange(next === ANY || next === null ? undefined : next)}
    />
  );
}

/** The lines, and beside them their fields. */
function LineView({
  search,
  withFields,
  filters,
  onFilters,
  keep,
}: {
  search: Search;
  withFields: boolean;
  filters: readonly string[];
  onFilters: (filters: readonly string[]) => void;
  keep: (next: Search) => void;
}) {
  const navigate = useNavigate();
  const scope = useScope();
  const columns = useMemo(() => parseFilters(search.cols), [search.cols]);
  const explore = (q: string) => void navigate({ to: '/w/$ws/$project/explore', params: scope, search: { q } });
  return (
    <div className={withFields ? classes.beside : classes.alone}>
      {withFields && (
        <LogFacets
          conditions={searchConditions({
            ...search,
            where: undefined,
            evaluations: hidesEvaluations(search) ? undefined : 'show',
          })}
          filters={filters}
          onChange={onFilters}
          columns={columns}
          onColumns={(next) => keep({ cols: next.length === 0 ? undefined : next.join('\n') })}
        />
      )}
      <div className={classes.lines}>
        <LogLines
          conditions={searchConditions(search)}
          fields={columns}
          wraps={search.wrap === '1'}
          actions={{
            filter: (picked, exclude) => onFilters(withFilter(filters, picked, exclude)),
            groupBy: (field) => explore(groupQuery(searchConditions(search), field)),
          }}
        />
      </div>
    </div>
  );
}
