import { removeSilence } from '@fanion/contract';
import { IconRepeat, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { MatcherList } from '../../alerting/matcher-list.tsx';
import { call } from '../../api/client.ts';
import { useConfirmed } from '../../app/confirmed.ts';
import { CreateLink } from '../../app/scope-links.tsx';
import { useCan, useScope } from '../../app/session.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { countOf } from '../../ui/format/index.ts';
import { ActionIcon, Kbd, SegmentedControl } from '../../ui/mantine.ts';
import { Page, Panel } from '../../ui/page.tsx';
import { both, Listed, Loaded } from '../../ui/resource/loaded.tsx';
import { EditButton } from '../../ui/resource/row-buttons.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { refreshSilences, type Silence, silencesQuery } from './queries.ts';
import classes from './silences.module.css';

const VIEWS = [
  { value: 'current', label: 'Active and pending' },
  { value: 'expired', label: 'Expired' },
] as const;

/** Active and upcoming silences, or expired ones. */
export function SilencesPage() {
  const canWrite = useCan('alerts:write');
  const { show } = useSearch({ from: '/w/$ws/$project/silences' });
  const navigate = useNavigate();
  const create = canWrite && <CreateLink to="/w/$ws/$project/silences/new">Create silence</CreateLink>;
  return (
    <Page title="Silences" actions={create}>
      <div>
        <SegmentedControl
          aria-label="Which silences"
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
  const silences = both(useQuery(silencesQuery(ws, 'active')), useQuery(silencesQuery(ws, 'pending')));
  return (
    <Loaded query={silences} label="Loading the silences">
      {([active, pending]) =>
        active.length + pending.length === 0 ? (
          <EmptyState title="No active silences" action={create}>
            A silence holds back notifications while someone works on a known problem, or during maintenance. Alerts
            continue to be evaluated. On the Alerts page, press <Kbd>s</Kbd> on a firing alert.
          </EmptyState>
        ) : (
          <>
            {active.length > 0 && <SilenceTable status="active" title="Active" silences={active} />}
            {pending.length > 0 && <SilenceTable status="pending" title="Pending" silences={pending} />}
          </>
        )
      }
    </Loaded>
  );
}

function Expired() {
  const { ws } = useScope();
  return (
    <Listed
      query={useQuery({ ...silencesQuery(ws, 'expired'), refetchInterval: false })}
      label="Loading the silences"
      empty={<EmptyState title="No expired silences">Expired silences stay listed for 90 days.</EmptyState>}
    >
      {(silences) => <SilenceTable status="expired" title="Expired" silences={silences} />}
    </Listed>
  );
}

const WHEN: Record<Silence['status'], Column<Silence>> = {
  pending: { id: 'when', header: 'Starts', width: 110, ago: ({ starts_at }) => starts_at },
  active: { id: 'when', header: 'Ends', width: 110, ago: ({ ends_at }) => ends_at },
  expired: { id: 'when', header: 'Ended', width: 110, ago: ({ ends_at }) => ends_at },
};

function SilenceTable({
  status,
  title,
  silences,
}: {
  status: Silence['status'];
  title: string;
  silences: readonly Silence[];
}) {
  const canWrite = useCan('alerts:write');
  const matched: Column<Silence> = {
    id: 'matched',
    header: 'Matches now',
    width: 150,
    sortBy: (silence) => silence.matched,
    cell: (silence) =>
      silence.matched === 0 ? <span className="dim">nothing</span> : countOf(silence.matched, 'firing alert'),
  };
  return (
    <Panel title={title} tight>
      <DataTable
        label={`${title} silences`}
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
          ...(status === 'expired' ? [] : [matched]),
          WHEN[status],
          {
            id: 'by',
            header: 'By',
            width: 160,
            sortBy: ({ created_by }) => created_by?.name ?? '',
            cell: ({ created_by }) => created_by?.name ?? <span className="dim">unknown</span>,
          },
          { width: 90, buttons: (silence) => canWrite && <Actions silence={silence} /> },
        ]}
      />
    </Panel>
  );
}

function Actions({ silence: { id, status, comment } }: { silence: Silence }) {
  const scope = useScope();
  const navigate = useNavigate();
  const confirmed = useConfirmed();
  const edit = () => void navigate({ to: '/w/$ws/$project/silences/new', params: scope, search: { silence: id } });
  const expire = () =>
    confirmed({
      title: 'Expire this silence?',
      body: `“${comment}” ends now. Alerts that it held back are notified if they still fire.`,
      action: 'Expire silence',
      run: () => call(removeSilence, { params: { ws: scope.ws, id } }),
      done: 'The silence is expired',
      refresh: refreshSilences,
    });
  return status === 'expired' ? (
    <ActionIcon aria-label={`Silence again: ${comment}`} onClick={edit}>
      <IconRepeat size={15} stroke={1.6} />
    </ActionIcon>
  ) : (
    <>
      <EditButton label={`Edit ${comment}`} onClick={edit} />
      <ActionIcon aria-label={`Expire ${comment}`} onClick={() => void expire()}>
        <IconX size={15} stroke={1.6} />
      </ActionIcon>
    </>
  );
}
