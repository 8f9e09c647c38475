import { type QueryLanguage, removeSavedQuery } from '@fanion/contract';
import { IconHistory, IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { useDelete } from '../../app/confirmed.ts';
import { useCan, useScope } from '../../app/session.ts';
import { formatBytes, formatMilliseconds } from '../../ui/format/index.ts';
import { ActionIcon, Drawer, Stack, Tabs, TextInput, Tooltip } from '../../ui/mantine.ts';
import { EmptyState, ErrorState, Loading } from '../../ui/states.tsx';
import { describeRange } from '../../ui/time/time-range.ts';
import { Timestamp } from '../../ui/timestamp.tsx';
import classes from './library.module.css';
import { historyQuery, type Run, type Saved, savedQueriesQuery } from './library.ts';

/** An entry to open: its query, and the saved time range and environment, if any. */
export interface Opened {
  query: string;
  language: QueryLanguage;
  from?: string | undefined;
  to?: string | undefined;
  env?: string | undefined;
}

/** Saved queries and query history. */
export function LibraryDrawer({
  opened,
  onClose,
  onOpen,
}: {
  opened: boolean;
  onClose: () => void;
  onOpen: (query: Opened) => void;
}) {
  return (
    <Drawer opened={opened} onClose={onClose} position="right" size={640} title="Queries">
      {opened && (
        <Tabs defaultValue="saved" keepMounted={false}>
          <Tabs.List aria-label="Queries">
            <Tabs.Tab value="saved">Saved</Tabs.Tab>
            <Tabs.Tab value="history">History</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="saved" pt="md">
            <SavedQueries onOpen={onOpen} />
          </Tabs.Panel>
          <Tabs.Panel value="history" pt="md">
            <History onOpen={onOpen} />
          </Tabs.Panel>
        </Tabs>
      )}
    </Drawer>
  );
}

function SavedQueries({ onOpen }: { onOpen: (query: Opened) => void }) {
  const { ws } = useScope();
  const queries = useQueryClient();
  const deleteIt = useDelete();
  const canWrite = useCan('dashboards:write');
  const [search, setSearch] = useState('');
  const saved = useQuery(savedQueriesQuery(ws));
  const remove = ({ id, name }: Saved) =>
    deleteIt({
      name: `“${name}”`,
      body: 'This removes the query for everybody in the workspace.',
      action: 'Delete query',
      run: () => call(removeSavedQuery, { params: { ws, id } }),
      refresh: () => queries.invalidateQueries({ queryKey: savedQueriesQuery(ws).queryKey }),
    });
  if (saved.isPending) return <Loading />;
  if (saved.isError) return <ErrorState compact error={saved.error} onRetry={() => void saved.refetch()} />;
  if (saved.data.length === 0) {
    return (
      <EmptyState compact title="No saved queries yet">
        Write a query and press Save: everybody in the workspace can find it here.
      </EmptyState>
    );
  }
  const shown = saved.data.filter((entry) =>
    `${entry.name} ${entry.description} ${entry.query}`.toLowerCase().includes(search.trim().toLowerCase()),
  );
  return (
    <Stack gap="sm">
      <TextInput
        aria-label="Filter saved queries"
        placeholder="Filter by name or text"
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      <ul className={classes.list} aria-label="Saved queries">
        {shown.map((entry) => (
          <li key={entry.id}>
            <SavedQuery saved={entry} onOpen={onOpen} />
            {canWrite && (
              <Tooltip label="Delete">
                <ActionIcon color="gray" aria-label={`Delete ${entry.name}`} onClick={() => void remove(entry)}>
                  <IconTrash size={15} stroke={1.6} />
                </ActionIcon>
              </Tooltip>
            )}
          </li>
        ))}
      </ul>
    </Stack>
  );
}

function SavedQuery({ saved, onOpen }: { saved: Saved; onOpen: (query: Opened) => void }) {
  const { name, query, query_language: language, from, to, environment, created_by, created_at } = saved;
  return (
    <button
      type="button"
      className={classes.entry}
      onClick={() =>
        onOpen({ query, language, from: from ?? undefined, to: to ?? undefined, env: environment ?? undefined })
      }
    >
      <span className={classes.name}>{name}</span>
      <code>{query}</code>
      <span className={classes.about}>
        {language === 'promql' && <span>PromQL</span>}
        {created_by && <span>{created_by.name}</span>}
        <Timestamp value={created_at} ago />
        {from !== null && <span>{describeRange({ from, to: to ?? 'now' })}</span>}
      </span>
    </button>
  );
}

function History({ onOpen }: { onOpen: (query: Opened) => void }) {
  const { ws, project } = useScope();
  const [search, setSearch] = useState('');
  const runs = useQuery({ ...historyQuery(ws, project, search.trim()), staleTime: 0 });
  return (
    <Stack gap="sm">
      <TextInput
        aria-label="Search the history"
        placeholder="Query text"
        leftSection={<IconHistory size={14} />}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      {runs.isError ? (
        <ErrorState compact error={runs.error} onRetry={() => void runs.refetch()} />
      ) : runs.isPending ? (
        <Loading />
      ) : runs.data.length === 0 ? (
        <EmptyState compact title="No queries yet">
          Queries that you run are listed here for 30 days with their cost.
        </EmptyState>
      ) : (
        <ul className={classes.list} aria-label="Query history">
          {runs.data.map((run) => (
            <li key={run.id}>
              <button
                type="button"
                className={classes.entry}
                onClick={() => onOpen({ query: run.query, language: run.query_language ?? 'oql' })}
              >
                <code>{run.query}</code>
                <Cost run={run} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </Stack>
  );
}

function Cost({ run }: { run: Run }) {
  return (
    <span className={classes.about}>
      <Timestamp value={run.at} ago />
      {run.status === 'ok' ? (
        <span>{formatMilliseconds(run.took_ms)}</span>
      ) : (
        <span className={classes.failed}>
          {run.status} {run.error}
        </span>
      )}
      <span>{formatBytes(run.bytes_read)} read</span>
    </span>
  );
}
