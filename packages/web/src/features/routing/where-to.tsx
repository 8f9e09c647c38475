import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { worstFirst } from '../../alerting/firing-groups.ts';
import { alertInstancesQuery } from '../../alerting/instances.ts';
import { useScope } from '../../app/session.ts';
import { Select, Textarea, useDebouncedValue } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { ErrorNotice } from '../../ui/states.tsx';
import { LabelList } from '../alerts/alert-state.tsx';
import { labelsOf } from '../alerts/rule-draft.ts';
import type { Channel } from '../channels/queries.ts';
import { channelNames } from './policy-tree-view.tsx';
import { type Match, matchQuery } from './queries.ts';
import classes from './routing.module.css';

/** Follows typing, but not every key of it; milliseconds. */
const PAUSE = 250;

/** Where alerts with the labels in the address go; undefined while none are typed, or as long as a line is incomplete. */
export function useWhere() {
  const { ws } = useScope();
  const { labels: text = '' } = useSearch({ from: '/w/$ws/$project/routing' });
  const [settled] = useDebouncedValue(text, PAUSE);
  const labels = labelsOf(settled);
  const match = useQuery({ ...matchQuery(ws, labels ?? {}), placeholderData: keepPreviousData });
  const isEmpty = labels === undefined || Object.keys(labels).length === 0;
  return {
    text,
    isIncomplete: labels === undefined,
    matches: isEmpty ? undefined : match.data,
    error: isEmpty ? null : match.error,
  };
}

/** Type labels, and see which policies and channels an alert with them reaches. */
export function WhereTo({ where, channels }: { where: ReturnType<typeof useWhere>; channels: readonly Channel[] }) {
  const { ws } = useScope();
  const navigate = useNavigate();
  const { data: alerts = [] } = useQuery(alertInstancesQuery(ws));
  const set = (text: string) =>
    void navigate({ to: '.', search: (old) => ({ ...old, labels: text || undefined }), replace: true });
  const known = worstFirst(alerts).slice(0, 50);
  return (
    <Panel title="Where would this go?">
      <div className={classes.where}>
        <Textarea
          label="Labels of an alert"
          description="One name=value per line"
          placeholder={'alertname=Checkout fails\nservice.name=checkout'}
          minRows={3}
          spellCheck={false}
          value={where.text}
          error={where.isIncomplete ? 'Write one name=value per line' : undefined}
          onChange={(event) => set(event.currentTarget.value)}
        />
        {known.length > 0 && (
          <Select
            allowDeselect
            label="Or those of a current alert"
            placeholder="Pick an alert"
            value={null}
            data={known.map(({ id, labels }) => ({ value: id, label: Object.values(labels).join(', ') }))}
            onChange={(id) => {
              const labels = known.find((alert) => alert.id === id)?.labels;
              if (labels !== undefined) set(textOf(labels));
            }}
          />
        )}
        <div role="status" aria-label="Where it goes">
          <ErrorNotice error={where.error} />
          {where.matches !== undefined && <Ends matches={where.matches} channels={channels} />}
        </div>
      </div>
    </Panel>
  );
}

function textOf(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');
}

function Ends({ matches, channels }: { matches: readonly Match[]; channels: readonly Channel[] }) {
  return (
    <ul className={classes.ends}>
      {matches.map((match) => (
        <li key={match.id}>
          <b>{channelNames(match.channels, channels)}</b>
          {match.muted && <span className={classes.muted}>muted now</span>}
          <span className="dim">{match.path.map(({ name }) => name).join(' › ')}</span>
          <span className="dim">
            first after {match.group_wait}, changes every {match.group_interval}, again every {match.repeat_interval}
          </span>
          {Object.keys(match.group).length > 0 && (
            <span>
              <span className="dim">in the group</span> <LabelList labels={match.group} />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
