import { removeChannel } from '@fanion/contract';
import { IconSend } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { useDelete } from '../../app/confirmed.ts';
import { type Edited, EditSavedDialog } from '../../app/edit-dialog.tsx';
import { useCan, useScope } from '../../app/session.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { ActionIcon } from '../../ui/mantine.ts';
import { Page, Panel } from '../../ui/page.tsx';
import { CreateButton } from '../../ui/resource/create-button.tsx';
import { Listed } from '../../ui/resource/loaded.tsx';
import { DeleteButton, EditButton } from '../../ui/resource/row-buttons.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { KINDS } from './channel-draft.ts';
import { ChannelForm } from './channel-form.tsx';
import { ChannelTest } from './channel-test.tsx';
import classes from './channels.module.css';
import { type Channel, channelsQuery, refreshChannels } from './queries.ts';

/** Where notifications go, and whether they arrive. */
export function ChannelsPage() {
  const { ws } = useScope();
  const canWrite = useCan('alerts:write');
  const channels = useQuery({ ...channelsQuery(ws), refetchInterval: 30_000 });
  const [editing, setEditing] = useState<Edited<Channel>>(null);
  const [testing, setTesting] = useState<Channel | null>(null);
  const create = canWrite && <CreateButton onClick={() => setEditing('new')}>Create channel</CreateButton>;
  const close = () => setEditing(null);
  return (
    <Page title="Channels" actions={create}>
      <Listed
        query={channels}
        empty={
          <EmptyState title="No channels yet" action={create}>
            A channel is a place that notifications go to: Slack, PagerDuty, e-mail, a webhook and others. Send a test
            before you need it.
          </EmptyState>
        }
      >
        {(rows) => <ChannelTable channels={rows} canWrite={canWrite} onEdit={setEditing} onTest={setTesting} />}
      </Listed>
      <EditSavedDialog editing={editing} rows={channels.data} what="channel" size={560} onClose={close}>
        {(channel) => (
          <ChannelForm
            channel={channel}
            channels={channels.data ?? []}
            onClose={close}
            onSaved={() => void refreshChannels()}
          />
        )}
      </EditSavedDialog>
      <ChannelTest channel={testing} onClose={() => setTesting(null)} />
    </Page>
  );
}

function useRemoveChannel() {
  const { ws } = useScope();
  const deleteIt = useDelete();
  return ({ id, name }: Channel) =>
    deleteIt({
      name: `the channel ${name}`,
      body: 'A channel that a routing policy or another channel uses cannot be deleted.',
      action: 'Delete channel',
      run: () => call(removeChannel, { params: { ws, id } }),
      refresh: refreshChannels,
    });
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
  const remove = useRemoveChannel();
  const names = new Map(channels.map(({ id, name }) => [id, name]));
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
            width: 120,
            buttons: (channel) =>
              canWrite && (
                <>
                  <ActionIcon aria-label={`Test ${channel.name}`} onClick={() => onTest(channel)}>
                    <IconSend size={15} stroke={1.6} />
                  </ActionIcon>
                  <EditButton label={`Edit ${channel.name}`} onClick={() => onEdit(channel)} />
                  <DeleteButton label={`Delete ${channel.name}`} onClick={() => void remove(channel)} />
                </>
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
