import { useOql } from '../../telemetry/oql.ts';
import { countOf } from '../../ui/format/index.ts';
import { UnstyledButton } from '../../ui/mantine.ts';
import { evaluationsQuery, hidesEvaluations, type LogSearch } from './log-search.ts';
import classes from './logs.module.css';

/**
 * Shows how many lines of flag evaluations the list leaves out, and a button that shows them. Often they are most of the lines, and
 * hardly ever what somebody looks for.
 */
export function HiddenEvaluations({
  search,
  onChange,
}: {
  search: LogSearch;
  /** With the new value of `evaluations` in the address. */
  onChange: (evaluations: 'show' | undefined) => void;
}) {
  const hidden = hidesEvaluations(search);
  const counted = useOql(hidden ? evaluationsQuery(search) : null, { keep: true });
  if (search.evaluations === 'show')
    return (
      <UnstyledButton className={classes.evaluations} onClick={() => onChange(undefined)}>
        Hide flag evaluations
      </UnstyledButton>
    );
  const lines = Number(counted.data?.result.rows[0]?.[0] ?? 0);
  if (!hidden || lines === 0) return null;
  return (
    <UnstyledButton className={classes.evaluations} onClick={() => onChange('show')}>
      {countOf(lines, 'flag evaluation')} hidden. <u>Show</u>
    </UnstyledButton>
  );
}
