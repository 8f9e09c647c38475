import { replayFlag } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { useCan, useScope } from '../../app/session.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ErrorNotice } from '../../ui/states.tsx';
import { servedText } from './describe.ts';
import { type Proposal, proposedTargeting } from './draft.ts';
import { type Replay, replayedText, uncoveredTexts } from './replay-words.ts';
import classes from './review.module.css';

/** What a change would do to the units of the last hour. */
export function ReplayView({ flag, environment, proposed }: Proposal) {
  const { ws, project } = useScope();
  const canQuery = useCan('telemetry:query');
  const body = proposedTargeting(proposed);
  const { data, error } = useQuery({
    queryKey: [replayFlag.id, ws, project, environment, flag, JSON.stringify(body)],
    enabled: canQuery,
    // Units go on being evaluated while somebody reads.
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<Replay> => {
      const params = { ws, p: project, e: environment, key: flag };
      return (await call(replayFlag, { params, body, signal })).data;
    },
  });
  if (!canQuery) return null;
  return (
    <section aria-label="Replay of the last hour">
      <h3>The last hour, replayed</h3>
      <ErrorNotice error={error} />
      {data === undefined ? (
        !error && <Skeleton height={40} label="Replaying the last hour" />
      ) : (
        <Replayed replay={data} />
      )}
    </section>
  );
}

function Replayed({ replay }: { replay: Replay }) {
  return (
    <>
      <p>{replayedText(replay)}</p>
      {replay.examples.length > 0 && (
        <ul className={classes.examples} aria-label="Units that change">
          {replay.examples.map(({ unit, from, to }) => (
            <li key={unit}>
              <span className="mono truncate">{unit}</span>
              <span>
                {servedText(from)} → {servedText(to)}
              </span>
            </li>
          ))}
        </ul>
      )}
      {uncoveredTexts(replay).map((text) => (
        <p key={text} className="dim">
          {text}
        </p>
      ))}
    </>
  );
}
