import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Matcher } from '../../alerting/matchers.ts';
import { STATES } from '../../alerting/states.ts';
import { useScope } from '../../app/session.ts';
import { countOf } from '../../ui/format/index.ts';
import { AppLink } from '../../ui/link.tsx';
import { useDebouncedValue } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { ErrorNotice } from '../../ui/states.tsx';
import { LabelList } from '../alerts/alert-state.tsx';
import { type SilencePreview, silencePreviewQuery } from './queries.ts';
import classes from './silences.module.css';

/** Follows typing, but not every key of it; milliseconds. */
const PAUSE = 250;

/** The alerts that matchers match now, while they are written. */
export function useMatched(matchers: readonly Matcher[]) {
  const { ws } = useScope();
  // As text: a list is another one at every render.
  const text = JSON.stringify(matchers);
  const [settled] = useDebouncedValue(text, PAUSE);
  const preview = useQuery({
    ...silencePreviewQuery(ws, settled === text ? matchers : JSON.parse(settled)),
    placeholderData: keepPreviousData,
  });
  const isCurrent = settled === text && !preview.isPlaceholderData;
  return { data: matchers.length === 0 ? undefined : preview.data, error: preview.error, isCurrent };
}

/** What a silence with these matchers would hold back now. */
export function SilenceMatches({ matchers }: { matchers: readonly Matcher[] }) {
  const { data, error, isCurrent } = useMatched(matchers);
  return (
    <Panel title="What it matches now" tight>
      <div className={classes.summary} role="status" aria-busy={!isCurrent}>
        {matchers.length === 0 ? (
          <span className="dim">Name a label to see which firing alerts match.</span>
        ) : error ? (
          <ErrorNotice error={error} />
        ) : data === undefined || !isCurrent ? (
          <span className="dim">Looking for firing alerts that match</span>
        ) : data.matched === 0 ? (
          <span className="dim">No firing alert matches. Alerts that fire later are silenced if they match.</span>
        ) : (
          <b>{countOf(data.matched, 'firing alert')} will be silenced</b>
        )}
      </div>
      {data !== undefined && data.matched > 0 && !error && <Matched preview={data} />}
    </Panel>
  );
}

function Matched({ preview: { matched, instances } }: { preview: SilencePreview }) {
  const scope = useScope();
  return (
    <>
      <ul className={classes.matched} aria-label="Firing alerts that match">
        {instances.map(({ id, rule_name, labels, state }) => (
          <li key={id}>
            <span>
              <AppLink to="/w/$ws/$project/alerts/$id" params={{ ...scope, id }}>
                {rule_name}
              </AppLink>{' '}
              <span className="dim">{stateText(state)}</span>
            </span>
            <LabelList labels={labels} without={['alertname']} />
          </li>
        ))}
      </ul>
      {matched > instances.length && (
        <div className={`${classes.summary} dim`}>and {matched - instances.length} more</div>
      )}
    </>
  );
}

function stateText(state: string): string {
  return Object.entries(STATES).find(([name]) => name === state)?.[1].label ?? state;
}
