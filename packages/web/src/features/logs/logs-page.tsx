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
import { Button, Group, SegmentedControl, Select, useMediaQuery } from '../../ui/mantine.ts';
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
  const scope = useScope();
  const view = VIEWS.find(({ value }) => value === search.view)?.value ?? 'lines';
  const wide = useMediaQuery('(min-width: 1200px)', true, { getInitialValueInEffect: false });
  const withFields = view === 'lines' && (search.fields === undefined ? wide : search.fields === 'show');
  const filters = parseFilters(search.where);
  const setFilters = (next: readonly string[]) => set({ where: filtersText(next) });
  const set = (next: Partial<typeof search>) =>
    void navigate({ to: '.', search: (old) => ({ ...old, log: undefined, ...next }) });

  /** Changes how lines are shown; the open one stays open. */
  const keep = (next: Partial<typeof search>) => void navigate({ to: '.', search: (old) => ({ ...old, ...next }) });
  const columns = useMemo(() => parseFilters(search.cols), [search.cols]);
  const explore = (q: string) => void navigate({ to: '/w/$ws/$project/explore', params: scope, search: { q } });

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
      <Group gap="sm">
        <SegmentedControl
          aria-label="View"
          size="xs"
          value={view}
          data={[...VIEWS]}
          onChange={(next) => set({ view: next === 'lines' ? undefined : next })}
        />
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
        <Select
          aria-label="Severity"
          w={150}
          allowDeselect={false}
          value={search.severity ?? ANY}
          data={[
            { value: ANY, label: 'Any severity' },
            ...SEVERITIES.map((value) => ({ value, label: value === 'fatal' ? 'fatal' : `${value} and above` })),
          ]}
          onChange={(next) => set({ severity: next === ANY || next === null ? undefined : next })}
        />
        <ConditionEditor
          label="Words in the body, or a condition in OQL"
          placeholder={'payment timeout, or: order.id == "o-17"'}
          source="logs"
          value={search.q ?? ''}
          onChange={(q) => set({ q })}
        />
      </Group>
      <FilterChips filters={filters} onChange={setFilters} />
      <HiddenEvaluations search={search} onChange={(evaluations) => set({ evaluations })} />
      {view === 'patterns' ? (
        <LogPatterns search={search} onFilter={(shapes) => set({ view: undefined, q: shapesCondition(shapes) })} />
      ) : view === 'live' ? (
        <LiveLines conditions={searchConditions(search)} />
      ) : (
        <div className={withFields ? classes.beside : classes.alone}>
          {withFields && (
            <LogFacets
              conditions={searchConditions({
                ...search,
                where: undefined,
                evaluations: hidesEvaluations(search) ? undefined : 'show',
              })}
              filters={filters}
              onChange={setFilters}
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
                filter: (picked, exclude) => setFilters(withFilter(filters, picked, exclude)),
                groupBy: (field) => explore(groupQuery(searchConditions(search), field)),
              }}
            />
          </div>
        </div>
      )}
    </Page>
  );
}
