import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { linkOptions } from '@tanstack/react-router';
import { CreateLink } from '../../app/scope-links.tsx';
import { NO_PROJECT, useCan, useScope } from '../../app/session.ts';
import { formatExact } from '../../ui/format/index.ts';
import { AppLink, ButtonLink } from '../../ui/link.tsx';
import { Group } from '../../ui/mantine.ts';
import { Page } from '../../ui/page.tsx';
import { ListTable, Search, useFound } from '../../ui/resource/list-table.tsx';
import { Listed } from '../../ui/resource/loaded.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { type ListedSegment, segmentsQuery } from './queries.ts';
import classes from './segments.module.css';

/** All segments of the project: named groups of units for flag rules. */
export function SegmentsPage() {
  const scope = useScope();
  const canWrite = useCan('flags:write');
  const segments = useQuery({ ...segmentsQuery(scope.ws, scope.project), enabled: scope.project !== NO_PROJECT });
  return (
    <Page
      title="Segments"
      actions={canWrite && <CreateLink to="/w/$ws/$project/segments/new">Create segment</CreateLink>}
    >
      <Group gap="sm">
        <Search
          label="Search segments"
          placeholder="Search by key, name or description"
          leftSection={<IconSearch size={14} />}
          w={300}
        />
      </Group>
      <Listed
        query={segments}
        empty={
          <EmptyState
            title="No segments yet"
            action={
              canWrite && (
                <ButtonLink to="/w/$ws/$project/segments/new" params={scope}>
                  Create the first segment
                </ButtonLink>
              )
            }
          >
            A segment defines a group of users (by keys or by rules) that all flags can use.
          </EmptyState>
        }
      >
        {(rows) => <Segments segments={rows} />}
      </Listed>
    </Page>
  );
}

function Segments({ segments }: { segments: readonly ListedSegment[] }) {
  const scope = useScope();
  const shown = useFound(segments, ({ key, name, description }) => `${key} ${name} ${description}`);
  if (shown.length === 0)
    return (
      <EmptyState title="No matching segments">No key, name or description contains all of these words.</EmptyState>
    );
  const page = ({ key }: ListedSegment) =>
    linkOptions({ to: '/w/$ws/$project/segments/$key', params: { ...scope, key } });
  return (
    <ListTable
      label="Segments"
      rows={shown}
      rowKey={({ key }) => key}
      opens={page}
      columns={[
        {
          id: 'key',
          header: 'Segment',
          sortBy: ({ key }) => key,
          cell: (segment) => (
            <span className={classes.name}>
              <AppLink className="mono" {...page(segment)}>
                {segment.key}
              </AppLink>
              {segment.name !== segment.key && <span className="dim truncate">{segment.name}</span>}
            </span>
          ),
        },
        {
          id: 'included',
          header: 'Included',
          width: 110,
          number: (segment) => segment.included_count,
          format: formatExact,
        },
        {
          id: 'excluded',
          header: 'Excluded',
          width: 110,
          number: (segment) => segment.excluded_count,
          format: formatExact,
        },
        { id: 'rules', header: 'Rules', width: 80, number: (segment) => segment.rules.length, format: formatExact },
        { id: 'updated', header: 'Changed', width: 110, ago: (segment) => segment.updated_at },
      ]}
    />
  );
}
