import { useQuery } from '@tanstack/react-query';
import { linkOptions } from '@tanstack/react-router';
import { CreateLink } from '../../app/scope-links.tsx';
import { NO_PROJECT, useCan, useScope } from '../../app/session.ts';
import { formatDuration } from '../../ui/format/index.ts';
import { Meter } from '../../ui/meter.tsx';
import { Page } from '../../ui/page.tsx';
import { ListTable, Named, QueryLine } from '../../ui/resource/list-table.tsx';
import { Listed } from '../../ui/resource/loaded.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { StateLabel } from '../alerts/alert-state.tsx';
import { type RecordingRule, recordingRulesQuery } from './queries.ts';
import classes from './recording-rules.module.css';
import { groupsOf, type RuleGroup, stateOf } from './rule-words.ts';

/** Recording rules by group, and whether they keep up. */
export function RecordingRulesPage() {
  const scope = useScope();
  const canWrite = useCan('dashboards:write');
  const enabled = scope.project !== NO_PROJECT;
  const rules = useQuery({ ...recordingRulesQuery(scope.ws, scope.project), enabled });
  const create = canWrite && <CreateLink to="/w/$ws/$project/recording-rules/new">Create recording rule</CreateLink>;
  return (
    <Page title="Recording rules" actions={create}>
      <Listed
        query={rules}
        empty={
          <EmptyState title="No recording rules yet" action={create}>
            A recording rule asks a query for each step of time and writes the answer as a metric, which is cheap to
            read for a long time and is kept as long as metrics are. It can write the past too.
          </EmptyState>
        }
      >
        {(data) => groupsOf(data).map((group) => <Group key={group.name} group={group} />)}
      </Listed>
    </Page>
  );
}

function Group({ group: { name, rules } }: { group: RuleGroup }) {
  const scope = useScope();
  const page = ({ id }: RecordingRule) =>
    linkOptions({ to: '/w/$ws/$project/recording-rules/$id', params: { ...scope, id } });
  return (
    <ListTable
      title={`Group ${name}`}
      label={`Rules of the group ${name}`}
      rows={rules}
      rowKey={({ id }) => id}
      opens={page}
      columns={[
        { id: 'state', header: 'State', width: 90, cell: (rule) => <RuleState rule={rule} /> },
        {
          id: 'metric',
          header: 'Metric',
          cell: (rule) => (
            <Named page={page(rule)} name={rule.name}>
              <QueryLine>{rule.query}</QueryLine>
            </Named>
          ),
        },
        { id: 'position', header: 'Order', width: 70, numeric: true, cell: ({ position }) => position },
        { id: 'every', header: 'Every', width: 70, cell: ({ every }) => every },
        { id: 'watermark', header: 'Written up to', width: 120, ago: ({ watermark }) => watermark },
        {
          id: 'lag',
          header: 'Lag',
          width: 90,
          numeric: true,
          sortBy: ({ lag_seconds }) => lag_seconds,
          cell: ({ lag_seconds }) => lagText(lag_seconds),
        },
        { id: 'missed', header: 'Missed', width: 80, number: ({ missed }) => missed },
        { id: 'backfill', header: 'Past', width: 130, cell: ({ backfill }) => <Backfill backfill={backfill} /> },
        {
          id: 'error',
          header: 'Last error',
          width: 200,
          cell: ({ last_error }) =>
            last_error === null ? (
              <span className="dim">none</span>
            ) : (
              <span className={`${classes.error} truncate`} title={last_error}>
                {last_error}
              </span>
            ),
        },
      ]}
    />
  );
}

export function RuleState({ rule }: { rule: RecordingRule }) {
  return <StateLabel {...stateOf(rule)} title={rule.last_error ?? undefined} />;
}

export function Backfill({ backfill }: Pick<RecordingRule, 'backfill'>) {
  if (backfill === null) return <span className="dim">not written</span>;
  if (backfill.state === 'done') return 'written';
  if (backfill.state === 'failed')
    return <StateLabel label="Fails" tone="firing" title={backfill.error ?? undefined} />;
  return <Meter label="Progress of writing the past" share={backfill.progress} progress />;
}

export function lagText(seconds: number): string {
  return seconds === 0 ? '0 s' : formatDuration(seconds * 1e9);
}
