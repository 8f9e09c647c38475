import { IconPlus, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { SearchBox } from '../../app/search-box.tsx';
import { NO_PROJECT, useCan, useScope } from '../../app/session.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { formatExact } from '../../ui/format/index.ts';
import { AppLink, ButtonLink } from '../../ui/link.tsx';
import { Group } from '../../ui/mantine.ts';
import { Page, Panel } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Loading } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { segmentsQuery } from './queries.ts';
import classes from './segments.module.css';

/** All segments of the project: named groups of units for flag rules. */
export function SegmentsPage() {
  const scope = useScope();
  const { q = '' } = useSearch({ from: '/w/$ws/$project/segments' });
  const navigate = useNavigate();
  const canWrite = useCan('flags:write');
  const segments = useQuery({ ...segmentsQuery(scope.ws, scope.project), enabled: scope.project !== NO_PROJECT });
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = (segments.data ?? []).filter(({ key, name, description }) => {
    const text = `${key} ${name} ${description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return (
    <Page
      title="Segments"
      actions={
        canWrite && (
          <ButtonLink to="/w/$ws/$project/segments/new" params={scope} leftSection={<IconPlus size={15} />}>
            Create segment
          </ButtonLink>
        )
      }
    >
      <Group gap="sm">
        <SearchBox
          label="Search segments"
          placeholder="Search by key, name or description"
          leftSection={<IconSearch size={14} />}
          w={300}
          value={q}
        />
      </Group>
      {segments.isError ? (
        <ErrorState error={segments.error} onRetry={() => void segments.refetch()} />
      ) : segments.isPending ? (
        <Loading />
      ) : segments.data.length === 0 ? (
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
      ) : shown.length === 0 ? (
        <EmptyState title="No matching segments">No key, name or description contains all of these words.</EmptyState>
      ) : (
        <Panel tight>
          <DataTable
            label="Segments"
            rows={shown}
            rowKey={(segment) => segment.key}
            onRowClick={(segment) =>
              void navigate({ to: '/w/$ws/$project/segments/$key', params: { ...scope, key: segment.key } })
            }
            columns={[
              {
                id: 'key',
                header: 'Segment',
                sortBy: (segment) => segment.key,
                cell: (segment) => (
                  <span className={classes.name}>
                    <AppLink
                      className="mono"
                      to="/w/$ws/$project/segments/$key"
                      params={{ ...scope, key: segment.key }}
                    >
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
                numeric: true,
                sortBy: (segment) => segment.included_count,
                cell: (segment) => formatExact(segment.included_count),
              },
              {
                id: 'excluded',
                header: 'Excluded',
                width: 110,
                numeric: true,
                sortBy: (segment) => segment.excluded_count,
                cell: (segment) => formatExact(segment.excluded_count),
              },
              {
                id: 'rules',
                header: 'Rules',
                width: 80,
                numeric: true,
                sortBy: (segment) => segment.rules.length,
                cell: (segment) => formatExact(segment.rules.length),
              },
              {
                id: 'updated',
                header: 'Changed',
                width: 110,
                sortBy: (segment) => segment.updated_at,
                cell: (segment) => <Timestamp value={segment.updated_at} ago />,
              },
            ]}
          />
        </Panel>
      )}
    </Page>
  );
}
