import { useQuery } from '@tanstack/react-query';
import { useCan, useScope } from '../../app/session.ts';
import { formatNumber, formatPercent } from '../../ui/format/index.ts';
import { useComputedColorScheme } from '../../ui/mantine.ts';
import { ErrorNotice } from '../../ui/states.tsx';
import { StateLabel } from '../alerts/alert-state.tsx';
import { flagColours } from '../flags/flag-colours.ts';
import flagClasses from '../flags/flags.module.css';
import type { Environment, Flag } from '../flags/types.ts';
import { type GuardedRelease, type Rollout, rolloutQuery } from '../judging/queries.ts';
import classes from './release.module.css';
import { verdictLabels } from './verdicts.ts';

const WINDOW = { from: 'now-1h', to: 'now' };
/** In milliseconds. */
const refetchInterval = 15_000;

/** What the requests of each variant are like now, and what the guards say about that. */
export function LiveStrip({
  flag,
  environment,
  release,
  isOn,
}: {
  flag: Flag;
  environment: Environment;
  release: GuardedRelease | null;
  isOn: boolean;
}) {
  const { ws, project } = useScope();
  const scheme = useComputedColorScheme();
  const canQuery = useCan('telemetry:query');
  const { data, error } = useQuery({
    ...rolloutQuery({ ws, p: project, e: environment.key, key: flag.key }, WINDOW, null),
    enabled: canQuery && isOn,
    refetchInterval,
  });
  if (!canQuery || !isOn) return null;
  const rows = data?.variants.filter(({ evaluations, requests }) => evaluations > 0 || requests > 0) ?? [];
  const verdicts = verdictLabels(release, Date.now());
  return (
    <section aria-label="Live numbers">
      <ErrorNotice error={data === undefined ? error : null} />
      {data !== undefined && rows.length === 0 && (
        <p className="dim">No evaluation in the last hour, so there is nothing to watch yet.</p>
      )}
      {rows.length > 0 && <Numbers rows={rows} colours={flagColours(flag, scheme)} />}
      {verdicts.length > 0 ? (
        <ul className={classes.verdicts} aria-label="Verdicts of the guards">
          {verdicts.map(({ name, label, tone }) => (
            <li key={name}>
              {name}: <StateLabel label={label} tone={tone} />
            </li>
          ))}
        </ul>
      ) : (
        rows.length > 0 && (
          <p className="dim">
            These numbers do not roll anything back. A guarded release does: choose “Guard it” when you raise the share.
          </p>
        )
      )}
    </section>
  );
}

function Numbers({ rows, colours }: { rows: Rollout['variants']; colours: ReturnType<typeof flagColours> }) {
  return (
    <table className={classes.strip} aria-label="Last hour by variant">
      <thead>
        <tr className="dim">
          <th scope="col">Last hour</th>
          <th scope="col">Evaluations</th>
          <th scope="col">Requests</th>
          <th scope="col">Error rate</th>
          <th scope="col">p95</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ variant, evaluations, requests, error_rate, p95_ms }) => (
          <tr key={variant}>
            <td>
              <span
                className={flagClasses.swatch}
                style={{ background: colours.get(variant), display: 'inline-block' }}
              />{' '}
              {variant}
            </td>
            <td>{formatNumber(evaluations)}</td>
            <td>{formatNumber(requests)}</td>
            <td>{error_rate === null ? '–' : formatPercent(error_rate)}</td>
            <td>{p95_ms === null ? '–' : `${formatNumber(p95_ms)} ms`}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
