import { removeChannel } from '@fanion/contract';
import { IconPencil, IconPlus, IconSend, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { useCan, useScope } from '../../app/session.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { ActionIcon, Button } from '../../ui/mantine.ts';
import { Page, Panel } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Loading } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { toastDone, toastError } from '../../ui/toast.ts';
import { ChannelDialog } from './channel-dialog.tsx';
import { KINDS } from './channel-draft.ts';
import { ChannelTest } from './channel-test.tsx';
import classes from './channels.module.css';
import { type Channel, channelsQuery, refreshChannels } from './queries.ts';

/** Where notifications go, and whether they arrive. */
export function ChannelsPage() {
  const { ws } = useScope();
  const canWrite = useCan('alerts:write');
  const channels = useQuery({ ...channelsQuery(ws), refetchInterval: 30_000 });
  const [editing, setEditing] = useState<Channel | 'new' | null>(null);
  const [testing, setTesting] = useState<Channel | null>(null);
  const create = canWrite && (
    <Button leftSection={<IconPlus size={15} />} onClick={() => setEditing('new')}>
      Create channel
    </Button>
  );
  const rows = channels.data;
  return (
    <Page title="Channels" actions={create}>
      {channels.error ? (
        <ErrorState error={channels.error} onRetry={() => void channels.refetch()} />
      ) : rows === undefined ? (
        <Loading />
      ) : rows.length === 0 ? (
        <EmptyState title="No channels yet" action={create}>
          A channel is a place that notifications go to: Slack, PagerDuty, e-mail, a webhook and others. Send a test
          before you need it.
        </EmptyState>
      ) : (
        <ChannelTable channels={rows} canWrite={canWrite} onEdit={setEditing} onTest={setTesting} />
      )}
      <ChannelDialog
        channel={editing}
        channels={rows ?? []}
        onClose={() => setEditing(null)}
        onSaved={() => void refreshChannels()}
      />
      <ChannelTest channel={testing} onClose={() => setTesting(null)} />
    </Page>
  );
}

function ChannelTable({
  channels,
  canWrite,
  onEdit,
  onTest,
}: {
  channels: readonly Channel[];
  canWrite: boolean;
  onEdit: (channel: Channel) => void;
  onTest: (channel: Channel) => void;
}) {
  const { ws } = useScope();
  const confirm = useConfirm();
  const names = new Map(channels.map(({ id, name }) => [id, name]));
  const remove = async ({ id, name }: Channel) => {
    const sure = await confirm({
      title: `Delete the channel ${name}?`,
      body: 'A channel that a routing policy or another channel uses cannot be deleted.',
      action: 'Delete channel',
      danger: true,
    });
    if (!sure) return;
    await call(removeChannel, { params: { ws, id } })
      .then(() => toastDone(`The channel ${name} is deleted`))
      .catch(toastError);
    await refreshChannels();
  };
  return (
    <Panel tight>
      <DataTable
        label="Channels"
        rows={channels}
        rowKey={({ id }) => id}
        columns={[
          { id: 'name', header: 'Channel', cell: ({ name }) => name, sortBy: ({ name }) => name.toLowerCase() },
          {
            id: 'kind',
            header: 'Kind',
            width: 140,
            cell: ({ kind }) => KINDS[kind],
            sortBy: ({ kind }) => KINDS[kind],
          },
          { id: 'target', header: 'Sends to', cell: ({ target }) => <span className="mono">{target}</span> },
          { id: 'health', header: 'Health', width: 230, cell: (channel) => <Health channel={channel} /> },
          {
            id: 'fallback',
            header: 'Fallback',
            width: 150,
            cell: ({ fallback }) => (fallback === null ? <span className="dim">none</span> : names.get(fallback)),
          },
          {
            id: 'actions',
            header: <span className="visually-hidden">Actions</span>,
            width: 120,
            cell: (channel) =>
              canWrite && (
                <span className={classes.actions}>
                  <ActionIcon aria-label={`Test ${channel.name}`} onClick={() => onTest(channel)}>
                    <IconSend size={15} stroke={1.6} />
                  </ActionIcon>
                  <ActionIcon aria-label={`Edit ${channel.name}`} onClick={() => onEdit(channel)}>
                    <IconPencil size={15} stroke={1.6} />
                  </ActionIcon>
                  <ActionIcon aria-label={`Delete ${channel.name}`} onClick={() => void remove(channel)}>
                    <IconTrash size={15} stroke={1.6} />
                  </ActionIcon>
                </span>
              ),
          },
        ]}
      />
    </Panel>
  );
}

const HEALTH = { unknown: 'Nothing sent yet', healthy: 'Healthy', unhealthy: 'Fails' } as const;

function Health({ channel: { health } }: { channel: Channel }) {
  const { state, error, since } = health;
  return (
    <span className={classes.health} data-state={state}>
      <span>
        {HEALTH[state]}
        {since !== null && (
          <span className="dim">
            {' since '}
            <Timestamp value={since} ago />
          </span>
        )}
      </span>
      {error !== null && (
        <span className={classes.error} title={error}>
          {error}
        </span>
      )}
    </span>
  );
}
