import { IconPlus, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { environmentsQuery, NO_PROJECT, useCan, useScope } from '../../app/session.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { AppLink, ButtonLink } from '../../ui/link.tsx';
import { Group, SegmentedControl, TextInput } from '../../ui/mantine.ts';
import { Page, Panel } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Loading } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import classes from './flags.module.css';
import { flagsQuery } from './queries.ts';
import { StaleTag } from './stale-tag.tsx';
import { STALE_DAYS, UNUSED_DAYS } from './staleness.ts';
import { StateDot } from './state-dot.tsx';
import type { Flag } from './types.ts';

/** All flags of the project with their state in each environment. */
export function FlagsPage() {
  const scope = useScope();
  const { q = '', show = 'live' } = useSearch({ from: '/w/$ws/$project/flags' });
  const navigate = useNavigate();
  const canWrite = useCan('flags:write');
  const enabled = scope.project !== NO_PROJECT;
  const flags = useQuery({ ...flagsQuery(scope.ws, scope.project, show === 'archived'), enabled });
  const { data: environments = [] } = useQuery({ ...environmentsQuery(scope.ws, scope.project), enabled });
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const now = Date.now();
  const shown = (flags.data ?? []).filter((flag) => {
    if (show === 'stale' && flag.stale === null) return false;
    const text = `${flag.key} ${flag.name} ${flag.tags.join(' ')}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const set = (next: { q?: string | undefined; show?: string | undefined }) =>
    void navigate({ to: '.', search: (old) => ({ ...old, ...next }), replace: true });

  return (
    <Page
      title="Flags"
      actions={
        canWrite && (
          <ButtonLink to="/w/$ws/$project/flags/new" params={scope} leftSection={<IconPlus size={15} />}>
            Create flag
          </ButtonLink>
        )
      }
    >
      <Group gap="sm">
        <TextInput
          data-focus-search
          aria-label="Search flags"
          placeholder="Search by key, name or tag"
          leftSection={<IconSearch size={14} />}
          w={300}
          value={q}
          onChange={(event) => set({ q: event.currentTarget.value })}
        />
        <SegmentedControl
          size="xs"
          aria-label="Which flags"
          value={show}
          onChange={(value) => set({ show: value === 'live' ? undefined : value })}
          data={[
            { value: 'live', label: 'Live' },
            { value: 'stale', label: 'Stale' },
            { value: 'archived', label: 'Archived' },
          ]}
        />
      </Group>
      {flags.isError ? (
        <ErrorState error={flags.error} onRetry={() => void flags.refetch()} />
      ) : flags.isPending ? (
        <Loading />
      ) : flags.data.length === 0 ? (
        show === 'archived' ? (
          <EmptyState title="No archived flags">
            Archive flags that you no longer need. They stay here with their history.
          </EmptyState>
        ) : (
          <EmptyState
            title="No flags yet"
            action={
              <ButtonLink to="/w/$ws/$project/flags/new" params={scope}>
                Create the first flag
              </ButtonLink>
            }
          >
            A flag decides at run time who gets what. A new flag is off everywhere until you turn it on.
          </EmptyState>
        )
      ) : shown.length === 0 && show === 'stale' && words.length === 0 ? (
        <EmptyState title="No stale flags">
          A temporary flag is stale when it has served the same variant for {STALE_DAYS} days, or was not evaluated for{' '}
          {UNUSED_DAYS}. Remove it from the code, then archive it.
        </EmptyState>
      ) : shown.length === 0 ? (
        <EmptyState title="No matching flags">No key, name or tag contains all of these words.</EmptyState>
      ) : (
        <Panel tight>
          <DataTable
            label="Flags"
            rows={shown}
            rowKey={(flag) => flag.key}
            onRowClick={(flag) =>
              void navigate({ to: '/w/$ws/$project/flags/$key', params: { ...scope, key: flag.key } })
            }
            columns={[
              {
                id: 'key',
                header: 'Flag',
                sortBy: (flag) => flag.key,
                cell: (flag) => (
                  <span className={classes.name}>
                    <AppLink className="mono" to="/w/$ws/$project/flags/$key" params={{ ...scope, key: flag.key }}>
                      {flag.key}
                    </AppLink>
                    {flag.name !== flag.key && <span className="dim truncate">{flag.name}</span>}
                    <span className={classes.tags}>
                      <StaleTag flag={flag} now={now} />
                      {flag.tags.map((tag) => (
                        <span key={tag} className={classes.tag}>
                          {tag}
                        </span>
                      ))}
                    </span>
                  </span>
                ),
              },
              {
                id: 'kind',
                header: 'Kind',
                width: 90,
                sortBy: (flag) => flag.kind,
                cell: (flag) => <span className="dim">{flag.kind}</span>,
              },
              ...environments.map((environment) => ({
                id: environment.key,
                header: environment.name,
                width: 120,
                cell: (flag: (typeof shown)[number]) => {
                  const state = flag.environments.find((candidate) => candidate.environment === environment.key);
                  return state ? <StateDot state={state} label={environment.name} /> : <span className="dim">–</span>;
                },
              })),
              {
                id: 'evaluated',
                header: 'Evaluated',
                width: 110,
                sortBy: (flag) => lastEvaluated(flag) ?? '',
                cell: (flag) => {
                  const last = lastEvaluated(flag);
                  return last === null ? <span className="dim">–</span> : <Timestamp value={last} ago />;
                },
              },
              {
                id: 'updated',
                header: 'Changed',
                width: 110,
                sortBy: (flag) => flag.updated_at,
                cell: (flag) => <Timestamp value={flag.updated_at} ago />,
              },
            ]}
          />
        </Panel>
      )}
    </Page>
  );
}

/** In any environment; null if no evaluation is recorded. */
function lastEvaluated({ environments }: Flag): string | null {
  const times = environments.flatMap(({ last_evaluated_at }) => last_evaluated_at ?? []).sort();
  return times.at(-1) ?? null;
}
