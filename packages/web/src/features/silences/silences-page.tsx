import { removeSilence } from '@fanion/contract';
import { IconPencil, IconPlus, IconRepeat, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { MatcherList } from '../../alerting/matcher-list.tsx';
import { call } from '../../api/client.ts';
import { useCan, useScope } from '../../app/session.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { countOf } from '../../ui/format/index.ts';
import { ButtonLink } from '../../ui/link.tsx';
import { ActionIcon, Kbd, SegmentedControl } from '../../ui/mantine.ts';
import { Page, Panel } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Loading } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { toastDone, toastError } from '../../ui/toast.ts';
import { refreshSilences, type Silence, silencesQuery } from './queries.ts';
import classes from './silences.module.css';

const VIEWS = [
  { value: 'current', label: 'Active and pending' },
  { value: 'expired', label: 'Expired' },
] as const;

/** The silences that hold or will hold, or those that are over. */
export function SilencesPage() {
  const scope = useScope();
  const canWrite = useCan('alerts:write');
  const { show } = useSearch({ from: '/w/$ws/$project/silences' });
  const navigate = useNavigate();
  const create = canWrite && (
    <ButtonLink to="/w/$ws/$project/silences/new" params={scope} leftSection={<IconPlus size={15} />}>
      Create silence
    </ButtonLink>
  );
  return (
    <Page title="Silences" actions={create}>
      <div>
        <SegmentedControl
          aria-label="Which silences"
          size="xs"
          value={show === 'expired' ? 'expired' : 'current'}
          data={[...VIEWS]}
          onChange={(next) =>
            void navigate({ to: '.', search: (old) => ({ ...old, show: next === 'expired' ? next : undefined }) })
          }
        />
      </div>
      {show === 'expired' ? <Expired /> : <Current create={create} />}
    </Page>
  );
}

function Current({ create }: { create: React.ReactNode }) {
  const { ws } = useScope();
  const active = useQuery(silencesQuery(ws, 'active'));
  const pending = useQuery(silencesQuery(ws, 'pending'));
  const error = active.error ?? pending.error;
  if (error)
    return <ErrorState error={error} onRetry={() => void Promise.all([active.refetch(), pending.refetch()])} />;
  if (active.data === undefined || pending.data === undefined) return <Loading label="Loading the silences" />;
  if (active.data.length + pending.data.length === 0)
    return (
      <EmptyState title="No active silences" action={create}>
        A silence holds back notifications while someone works on a known problem, or during maintenance. Alerts
        continue to be evaluated. On the Alerts page, press <Kbd>s</Kbd> on a firing alert.
      </EmptyState>
    );
  return (
    <>
      {active.data.length > 0 && <SilenceTable label="Active silences" title="Active" silences={active.data} />}
      {pending.data.length > 0 && <SilenceTable label="Pending silences" title="Pending" silences={pending.data} />}
    </>
  );
}

function Expired() {
  const { ws } = useScope();
  const { data, error, refetch } = useQuery({ ...silencesQuery(ws, 'expired'), refetchInterval: false });
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading label="Loading the silences" />;
  if (data.length === 0)
    return <EmptyState title="No expired silences">Expired silences stay listed for 90 days.</EmptyState>;
  return <SilenceTable label="Expired silences" title="Expired" silences={data} />;
}

/** Silences of one status. */
function SilenceTable({ label, title, silences }: { label: string; title: string; silences: readonly Silence[] }) {
  const canWrite = useCan('alerts:write');
  const status = silences[0]?.status;
  const when: Column<Silence> =
    status === 'pending'
      ? { id: 'when', header: 'Starts', cell: ({ starts_at }) => <Timestamp value={starts_at} ago /> }
      : {
          id: 'when',
          header: status === 'active' ? 'Ends' : 'Ended',
          cell: ({ ends_at }) => <Timestamp value={ends_at} ago />,
        };
  return (
    <Panel title={title} tight>
      <DataTable
        label={label}
        rows={silences}
        rowKey={({ id }) => id}
        columns={[
          {
            id: 'what',
            header: 'Silence',
            cell: ({ matchers, comment }) => (
              <span className={classes.what}>
                <MatcherList matchers={matchers} />
                <span className={classes.comment}>{comment}</span>
              </span>
            ),
          },
          ...(status === 'expired'
            ? []
            : [
                {
                  id: 'matched',
                  header: 'Matches now',
                  width: 150,
                  sortBy: ({ matched }: Silence) => matched,
                  cell: ({ matched }: Silence) =>
                    matched === 0 ? <span className="dim">nothing</span> : countOf(matched, 'firing alert'),
                },
              ]),
          { ...when, width: 110, sortBy: ({ ends_at }) => ends_at },
          {
            id: 'by',
            header: 'By',
            width: 160,
            sortBy: ({ created_by }) => created_by?.name ?? '',
            cell: ({ created_by }) => created_by?.name ?? <span className="dim">unknown</span>,
          },
          {
            id: 'actions',
            header: <span className="visually-hidden">Actions</span>,
            width: 90,
            cell: (silence) => canWrite && <Actions silence={silence} />,
          },
        ]}
      />
    </Panel>
  );
}

function Actions({ silence: { id, status, comment } }: { silence: Silence }) {
  const scope = useScope();
  const navigate = useNavigate();
  const confirm = useConfirm();
  const edit = () => void navigate({ to: '/w/$ws/$project/silences/new', params: scope, search: { silence: id } });
  const expire = async () => {
    const sure = await confirm({
      title: 'Expire this silence?',
      body: `“${comment}” ends now. Alerts that it held back are notified if they still fire.`,
      action: 'Expire silence',
    });
    if (!sure) return;
    await call(removeSilence, { params: { ws: scope.ws, id } })
      .then(() => toastDone('The silence is expired'))
      .catch(toastError);
    await refreshSilences();
  };
  return (
    <span className={classes.actions}>
      {status === 'expired' ? (
        <ActionIcon aria-label={`Silence again: ${comment}`} onClick={edit}>
          <IconRepeat size={15} stroke={1.6} />
        </ActionIcon>
      ) : (
        <>
          <ActionIcon aria-label={`Edit ${comment}`} onClick={edit}>
            <IconPencil size={15} stroke={1.6} />
          </ActionIcon>
          <ActionIcon aria-label={`Expire ${comment}`} onClick={() => void expire()}>
            <IconX size={15} stroke={1.6} />
          </ActionIcon>
        </>
      )}
    </span>
  );
}
