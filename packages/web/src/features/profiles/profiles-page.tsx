import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useScope } from '../../app/session.ts';
import { TelemetryControls } from '../../app/telemetry-controls.tsx';
import { useEnvironment, useTimeRange } from '../../app/time-range.ts';
import { ConditionInput } from '../../telemetry/condition-input.tsx';
import { EmptyWindow } from '../../telemetry/empty-window.tsx';
import { ServiceFilter } from '../../telemetry/filter-bar.tsx';
import { ViewSwitch } from '../../telemetry/view-switch.tsx';
import { AppLink } from '../../ui/link.tsx';
import { Button, Group, Select } from '../../ui/mantine.ts';
import { Page } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ErrorState, Notice } from '../../ui/states.tsx';
import { ProfileTimeline, TIMELINE_HEIGHT } from './profile-timeline.tsx';
import { DiffView, FlameView, SandwichView, VIEW_HEIGHT } from './profile-views.tsx';
import { firstType, typesQuery } from './queries.ts';

const VIEWS = [
  { value: 'flame', label: 'Flame graph' },
  { value: 'diff', label: 'Difference' },
  { value: 'sandwich', label: 'Sandwich' },
] as const;

/** Where time and memory go: a flame graph, a comparison with the previous window, and the callers and callees of a function. */
export function ProfilesPage() {
  const search = useSearch({ from: '/w/$ws/$project/profiles' });
  const navigate = useNavigate();
  const scope = useScope();
  const environment = useEnvironment();
  const { range } = useTimeRange();
  const types = useQuery(typesQuery({ ...scope, environment, range }));
  const known = types.data?.values.map(({ value }) => value) ?? [];
  const type = search.type ?? firstType(known);
  const view = VIEWS.find(({ value }) => value === search.view)?.value ?? 'flame';
  const set = (next: Partial<typeof search>) => void navigate({ to: '.', search: (old) => ({ ...old, ...next }) });
  const showAll = () => set({ trace: undefined, span: undefined });
  const { service, trace, span } = search;
  const selection = type === undefined ? null : { ...scope, environment, range, type, service, trace, span };
  const shown = { search: search.q ?? '', onPick: (fn: string) => set({ view: 'sandwich', fn }) };

  return (
    <Page title="Profiles" actions={<TelemetryControls />}>
      <Group gap="sm">
        <ViewSwitch views={VIEWS} value={view} onChange={(next) => set({ view: next })} />
        <Select
          aria-label="Profile type"
          w={210}
          value={type ?? null}
          data={[...new Set([...known, ...(type === undefined ? [] : [type])])]}
          onChange={(next) => next !== null && set({ type: next })}
        />
        <ServiceFilter value={search.service} onChange={(service) => set({ service })} />
        <ConditionInput
          isSearch
          label="Search for functions"
          placeholder="Function or file"
          value={search.q ?? ''}
          onChange={(q) => set({ q })}
        />
      </Group>
      {search.trace !== undefined && <OfTrace trace={search.trace} span={search.span} onAll={showAll} />}
      {types.isError ? (
        <ErrorState error={types.error} onRetry={() => void types.refetch()} />
      ) : types.isPending ? (
        <>
          <Skeleton height={TIMELINE_HEIGHT} label="Looking for profiles" />
          <Skeleton height={VIEW_HEIGHT} />
        </>
      ) : selection === null ? (
        <EmptyWindow title="No profiles in this window">
          Send OTLP profiles, upload pprof files, or widen the time range.
        </EmptyWindow>
      ) : (
        <>
          <ProfileTimeline selection={selection} />
          {view === 'diff' && <DiffView {...shown} selection={selection} />}
          {view === 'sandwich' && <SandwichView {...shown} selection={selection} name={search.fn} />}
          {view === 'flame' && <FlameView {...shown} selection={selection} />}
        </>
      )}
    </Page>
  );
}

/** Shows that the page is limited to one trace or span. */
function OfTrace({ trace, span, onAll }: { trace: string; span: string | undefined; onAll: () => void }) {
  const scope = useScope();
  return (
    <Notice kind="info">
      Only samples of{' '}
      <AppLink to="/w/$ws/$project/traces/$traceId" params={{ ...scope, traceId: trace }}>
        one {span === undefined ? 'trace' : 'span'}
      </AppLink>
      .{' '}
      <Button variant="subtle" size="compact-xs" onClick={onAll}>
        Show all
      </Button>
    </Notice>
  );
}
