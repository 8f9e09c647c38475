import type { listProjects, RouteResponse } from '@fanion/contract';
import { countOf } from '../../ui/format/index.ts';
import { Select } from '../../ui/mantine.ts';
import classes from './settings.module.css';

type Project = RouteResponse<typeof listProjects>[number];
export type Retention = Project['retention'];

const DEFAULT = 'default';
const SIGNALS = ['traces', 'logs', 'metrics', 'profiles'] as const;

/** Retention of each signal of a project, from the options that the server allows. */
export function RetentionFields({
  allowed: { default: usual, allowed },
  value,
  error,
  onChange,
}: {
  allowed: Project['retention_classes'];
  value: Retention;
  error: string | undefined;
  onChange: (value: Retention) => void;
}) {
  return (
    <fieldset className={classes.fieldset}>
      <legend>Telemetry retention</legend>
      <div className={classes.fields}>
        {SIGNALS.map((signal) => {
          const own = value[signal];
          // A stored value that is no longer allowed stays until it is changed.
          const days = own === null || allowed.includes(own) ? allowed : [...allowed, own].sort((a, b) => a - b);
          return (
            <Select
              key={signal}
              label={signal}
              value={own === null ? DEFAULT : String(own)}
              data={[
                { value: DEFAULT, label: `Default: ${countOf(usual, 'day')}` },
                ...days.map((one) => ({ value: String(one), label: countOf(one, 'day') })),
              ]}
              onChange={(next) =>
                onChange({ ...value, [signal]: next === null || next === DEFAULT ? null : Number(next) })
              }
            />
          );
        })}
      </div>
      <p className={classes.lead}>
        {error ?? 'A change applies to telemetry that arrives from now on. Stored telemetry keeps its retention.'}
      </p>
    </fieldset>
  );
}

/** `30 days`, or `logs: 7 days · traces, metrics, profiles: 30 days`. */
export function retentionText({ retention, retention_classes: { default: usual } }: Project): string {
  const days = SIGNALS.map((signal) => ({ signal, days: retention[signal] ?? usual }));
  const lengths = [...new Set(days.map((one) => one.days))].sort((a, b) => a - b);
  const [only] = lengths;
  if (lengths.length === 1 && only !== undefined) return countOf(only, 'day');
  const signalsOf = (length: number) => days.filter((one) => one.days === length).map(({ signal }) => signal);
  return lengths.map((length) => `${signalsOf(length).join(', ')}: ${countOf(length, 'day')}`).join(' · ');
}
