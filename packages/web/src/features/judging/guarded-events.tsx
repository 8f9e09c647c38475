import { useQuery } from '@tanstack/react-query';
import { FailingAttributes } from '../../telemetry/failing-attributes.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Stack } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { Listed } from '../../ui/resource/loaded.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { percentText } from '../flags/weights.ts';
import { decisionsOf, eventText } from './judging-words.ts';
import { type FlagPlace, type GuardedEvent, type GuardedRelease, guardedEventsQuery, isActive } from './queries.ts';

const COLUMNS: readonly Column<GuardedEvent>[] = [
  { id: 'time', header: 'Time', width: 170, cell: ({ time }) => <Timestamp value={time} /> },
  { id: 'kind', header: 'What', width: 120, cell: (event) => eventText(event) },
  { id: 'weight', header: 'Share', width: 80, numeric: true, cell: ({ weight }) => `${percentText(weight)}%` },
  { id: 'reason', header: 'Why', width: 420, cell: ({ reason }) => reason },
];

/** What the release decided, with the reason of each decision. */
export function GuardedEvents({ place, release }: { place: FlagPlace; release: GuardedRelease }) {
  const { data, error, refetch } = useQuery(guardedEventsQuery(place, isActive(release)));
  return (
    <Panel title="Decisions">
      <Listed
        query={{ data, error, refetch }}
        label="Loading the decisions"
        compact
        empty={<p className="dim">Nothing happened yet: the release is a draft.</p>}
      >
        {(data) => (
          <Stack gap="md">
            <DataTable label="Decisions" columns={COLUMNS} rows={decisionsOf(data)} rowKey={({ id }) => id} />
            <Failing event={data.find(({ kind }) => kind === 'rolled_back')} />
          </Stack>
        )}
      </Listed>
    </Panel>
  );
}

/** What the failing requests had in common when the release rolled back: the attributes were kept at that moment. */
function Failing({ event }: { event: GuardedEvent | undefined }) {
  if (event === undefined || event.contrast === null) return null;
  return (
    <section aria-label="What failing requests had in common">
      <h3>What failing requests had in common</h3>
      <p className="dim">
        Kept when the release rolled back: rows that were worse than the control, beside the other rows of the same
        variant.
      </p>
      <FailingAttributes rows={event.contrast.attributes} />
    </section>
  );
}
