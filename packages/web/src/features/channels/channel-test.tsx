import { testChannel } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call } from '../../api/client.ts';
import { useScope } from '../../app/session.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Button, Group, Modal, Stack } from '../../ui/mantine.ts';
import { ErrorState, Loading, Notice } from '../../ui/states.tsx';
import { type Channel, refreshChannels } from './queries.ts';

/** Sends a test notification, and shows what the receiver answered. */
export function ChannelTest({ channel, onClose }: { channel: Channel | null; onClose: () => void }) {
  return (
    <Modal opened={channel !== null} onClose={onClose} title={`Test of ${channel?.name ?? ''}`} size={560}>
      {channel !== null && <Result channel={channel} onClose={onClose} />}
    </Modal>
  );
}

function Result({ channel: { id, target }, onClose }: { channel: Channel; onClose: () => void }) {
  const { ws } = useScope();
  const test = useQuery({
    queryKey: ['channel test', ws, id],
    queryFn: async () => (await call(testChannel, { params: { ws, id } })).data,
    // Each opening of the dialog sends one, and nothing else does.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const { data, error, isFetching } = test;
  useEffect(() => {
    if (data !== undefined) void refreshChannels();
  }, [data]);
  if (isFetching) return <Loading label={`Sending a test notification to ${target}`} />;
  if (error) return <ErrorState error={error} onRetry={() => void test.refetch()} compact />;
  if (data === undefined) return null;
  const status = data.status === undefined ? '' : ` with status ${data.status}`;
  return (
    <Stack gap="md">
      <Notice kind={data.delivered ? 'ok' : 'error'}>
        {data.delivered ? `${target} accepted the test notification${status}.` : `Not delivered: ${data.error}.`}
      </Notice>
      {data.answer !== undefined && data.answer !== '' && (
        <CodeBlock label="answer of the receiver" code={data.answer} />
      )}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={() => void test.refetch()}>
          Send again
        </Button>
        <Button onClick={onClose} data-autofocus>
          Done
        </Button>
      </Group>
    </Stack>
  );
}
