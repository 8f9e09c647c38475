import { listHistory } from '@fanion/contract';
import { IconHistory } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { pagesQuery } from '../../api/queries.ts';
import { useCan, useScope } from '../../app/session.ts';
import { AppLink } from '../../ui/link.tsx';
import { Button, SegmentedControl } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { Loaded } from '../../ui/resource/loaded.tsx';
import { More } from '../../ui/resource/more.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { ChangeTable } from './change-table.tsx';
import { describeDifferences } from './difference-words.ts';
import classes from './history.module.css';
import { type HistoryEntry, samePlace, versionOf } from './history.ts';
import { RestoreDialog } from './restore-dialog.tsx';
import type { Environment, Flag } from './types.ts';

const PAGE = 50;
const KINDS: Readonly<Record<HistoryEntry['kind'], string>> = {
  created: 'Created',
  targeting: 'Targeting',
  flag: 'Flag',
  prerequisites: 'Prerequisites',
  ramp: 'Ramp',
  guarded_release: 'Guarded release',
  experiment: 'Experiment',
};

interface Props {
  flag: Flag;
  environment: Environment;
  environments: readonly Environment[];
  ruleNames: ReadonlyMap<string, string>;
}

/** The changes to a flag, newest first, with their differences. Each earlier version can be restored. */
export function HistoryTab({ flag, environment, environments, ruleNames }: Props) {
  const { ws, project } = useScope();
  const canWrite = useCan('flags:write') && !flag.archived;
  const [all, setAll] = useState(false);
  const [restoring, setRestoring] = useState<HistoryEntry | null>(null);
  const history = useInfiniteQuery(
    pagesQuery(listHistory, {
      params: { ws, p: project, key: flag.key },
      query: { limit: PAGE, environment: all ? undefined : environment.key },
    }),
  );
  const entries = history.data?.pages.flatMap((page) => page.data) ?? [];
  /** The later changes to the same target as an entry, newest first: restoring the entry reverts them. */
  const undoneBy = (entry: HistoryEntry) =>
    entries.slice(0, entries.indexOf(entry)).filter((newer) => samePlace(newer, entry));
  // The newest entry for a target is its current state: there is nothing to restore.
  const canRestore = (entry: HistoryEntry) => canWrite && entry.restorable && undoneBy(entry).length > 0;
  return (
    <div className={classes.history}>
      <SegmentedControl
        aria-label="Which changes"
        value={all ? 'all' : 'one'}
        onChange={(value) => setAll(value === 'all')}
        data={[
          { value: 'one', label: `Affecting ${environment.name}` },
          { value: 'all', label: 'All environments' },
        ]}
        style={{ alignSelf: 'start' }}
      />
      <Loaded query={history}>
        {() =>
          entries.length === 0 ? (
            <EmptyState title="No changes yet">Every change to this flag appears here with its differences.</EmptyState>
          ) : (
            <ol className={classes.entries} aria-label="History">
              {entries.map((entry) => (
                <li key={entry.id}>
                  <Entry
                    entry={entry}
                    ruleNames={ruleNames}
                    onRestore={canRestore(entry) ? () => setRestoring(entry) : undefined}
                  />
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
      <More of={history}>Show older changes</More>
      <RestoreDialog
        flag={flag}
        environments={environments}
        entry={restoring}
        undone={restoring === null ? [] : undoneBy(restoring)}
        ruleNames={ruleNames}
        onClose={() => setRestoring(null)}
      />
    </div>
  );
}

function Entry({
  entry,
  ruleNames,
  onRestore,
}: {
  entry: HistoryEntry;
  ruleNames: ReadonlyMap<string, string>;
  onRestore: (() => void) | undefined;
}) {
  const scope = useScope();
  const version = versionOf(entry);
  const { diff } = entry;
  return (
    <Panel
      title={
        <span className={classes.title}>
          {KINDS[entry.kind]}
          <span className="dim">
            {entry.environment ?? 'all environments'}, version {version}
          </span>
        </span>
      }
      actions={
        onRestore && (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconHistory size={14} stroke={1.6} />}
            onClick={onRestore}
            aria-label={`Restore this version (${version})`}
          >
            Restore this version
          </Button>
        )
      }
    >
      <p className="dim">
        {entry.actor.name}
        {entry.actor.type !== 'user' && ` (${entry.actor.type})`}, <Timestamp value={entry.at} />
        {entry.change_id !== null && (
          <>
            {', '}
            <AppLink
              style={{ textDecoration: 'underline' }}
              to="/w/$ws/$project/changes"
              params={scope}
              search={{ status: 'all', change: entry.change_id }}
            >
              from a proposed or scheduled change
            </AppLink>
          </>
        )}
      </p>
      {entry.comment && <p className={classes.comment}>{entry.comment}</p>}
      {entry.kind !== 'created' && (
        <ChangeTable label={`Differences of version ${version}`} changes={describeDifferences(diff, ruleNames)} />
      )}
    </Panel>
  );
}
