import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type LinkProps, linkOptions, useNavigate, useSearch } from '@tanstack/react-router';
import { CreateLink } from '../../app/scope-links.tsx';
import { environmentsQuery, NO_PROJECT, useCan, useScope } from '../../app/session.ts';
import { AppLink, ButtonLink } from '../../ui/link.tsx';
import { Group, SegmentedControl } from '../../ui/mantine.ts';
import { Page } from '../../ui/page.tsx';
import { ListTable, Search, useFound } from '../../ui/resource/list-table.tsx';
import { Listed } from '../../ui/resource/loaded.tsx';
import { EmptyState } from '../../ui/states.tsx';
import classes from './flags.module.css';
import { flagsQuery } from './queries.ts';
import { StaleTag } from './stale-tag.tsx';
import { STALE_DAYS, UNUSED_DAYS } from './staleness.ts';
import { StateDot } from './state-dot.tsx';
import type { Flag } from './types.ts';

/** All flags of the project with their state in each environment. */
export function FlagsPage() {
  const scope = useScope();
  const { show = 'live' } = useSearch({ from: '/w/$ws/$project/flags' });
  const navigate = useNavigate();
  const canWrite = useCan('flags:write');
  const enabled = scope.project !== NO_PROJECT;
  const flags = useQuery({ ...flagsQuery(scope.ws, scope.project, show === 'archived'), enabled });
  return (
    <Page title="Flags" actions={canWrite && <CreateLink to="/w/$ws/$project/flags/new">Create flag</CreateLink>}>
      <Group gap="sm">
        <Search
          label="Search flags"
          placeholder="Search by key, name or tag"
          leftSection={<IconSearch size={14} />}
          w={300}
        />
        <SegmentedControl
          aria-label="Which flags"
          value={show}
          onChange={(value) =>
            void navigate({
              to: '.',
              search: (old) => ({ ...old, show: value === 'live' ? undefined : value }),
              replace: true,
            })
          }
          data={[
            { value: 'live', label: 'Live' },
            { value: 'stale', label: 'Stale' },
            { value: 'archived', label: 'Archived' },
          ]}
        />
      </Group>
      <Listed query={flags} empty={show === 'archived' ? <NoArchivedFlags /> : <NoFlags />}>
        {(rows) => <Flags flags={show === 'stale' ? rows.filter(({ stale }) => stale !== null) : rows} />}
      </Listed>
    </Page>
  );
}

function NoArchivedFlags() {
  return (
    <EmptyState title="No archived flags">
      Archive flags that you no longer need. They stay here with their history.
    </EmptyState>
  );
}

function NoFlags() {
  return (
    <EmptyState
      title="No flags yet"
      action={
        <ButtonLink to="/w/$ws/$project/flags/new" params={useScope()}>
          Create the first flag
        </ButtonLink>
      }
    >
      A flag decides at run time who gets what. A new flag is off everywhere until you turn it on.
    </EmptyState>
  );
}

function Flags({ flags }: { flags: readonly Flag[] }) {
  const scope = useScope();
  const { data: environments = [] } = useQuery(environmentsQuery(scope.ws, scope.project));
  const shown = useFound(flags, ({ key, name, tags }) => `${key} ${name} ${tags.join(' ')}`);
  if (flags.length === 0)
    return (
      <EmptyState title="No stale flags">
        A temporary flag is stale when it has served the same variant for {STALE_DAYS} days, or was not evaluated for{' '}
        {UNUSED_DAYS}. Remove it from the code, then archive it.
      </EmptyState>
    );
  if (shown.length === 0)
    return <EmptyState title="No matching flags">No key, name or tag contains all of these words.</EmptyState>;
  const page = ({ key }: Flag) => linkOptions({ to: '/w/$ws/$project/flags/$key', params: { ...scope, key } });
  return (
    <ListTable
      label="Flags"
      rows={shown}
      rowKey={({ key }) => key}
      opens={page}
      columns={[
        {
          id: 'key',
          header: 'Flag',
          sortBy: ({ key }) => key,
          cell: (flag) => <FlagName flag={flag} page={page(flag)} />,
        },
        {
          id: 'kind',
          header: 'Kind',
          width: 90,
          sortBy: ({ kind }) => kind,
          cell: ({ kind }) => <span className="dim">{kind}</span>,
        },
        ...environments.map(({ key, name }) => ({
          id: key,
          header: name,
          width: 120,
          cell: (flag: Flag) => {
            const state = flag.environments.find(({ environment }) => environment === key);
            return state ? <StateDot state={state} label={name} /> : <span className="dim">–</span>;
          },
        })),
        { id: 'evaluated', header: 'Evaluated', width: 110, ago: lastEvaluated },
        { id: 'updated', header: 'Changed', width: 110, ago: ({ updated_at }) => updated_at },
      ]}
    />
  );
}

function FlagName({ flag, page }: { flag: Flag; page: LinkProps }) {
  return (
    <span className={classes.name}>
      <AppLink className="mono" {...page}>
        {flag.key}
      </AppLink>
      {flag.name !== flag.key && <span className="dim truncate">{flag.name}</span>}
      <span className={classes.tags}>
        <StaleTag flag={flag} now={Date.now()} />
        {flag.tags.map((tag) => (
          <span key={tag} className={classes.tag}>
            {tag}
          </span>
        ))}
      </span>
    </span>
  );
}

/** In any environment; null if no evaluation is recorded. */
function lastEvaluated({ environments }: Flag): string | null {
  const times = environments.flatMap(({ last_evaluated_at }) => last_evaluated_at ?? []).sort();
  return times.at(-1) ?? null;
}
