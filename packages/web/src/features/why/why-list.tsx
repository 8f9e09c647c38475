import { useScope } from '../../app/session.ts';
import { countOf, formatPercent } from '../../ui/format/index.ts';
import { AppLink, ButtonLink } from '../../ui/link.tsx';
import { Notice } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { TurnOffFlag } from './turn-off-flag.tsx';
import classes from './why-list.module.css';
import { causeText, foldedText, ratesText, runningText, type Suspect, type Why } from './why-words.ts';

interface Context {
  /** The key of the project of flags, if the answer does not name one. */
  readonly project: string;
  /** Suggested where a flag is turned off, and for the history of the flag. */
  readonly environment: string | undefined;
  readonly comment: string;
}

/** The one ranked list of causes: a sentence and an action each. */
export function WhyList({ why, ...context }: { why: Why } & Context) {
  if (why.verdict === 'unknown') return <p className="dim">{why.reason}</p>;
  return (
    <div>
      {why.suspects.length === 0 ? (
        <Notice kind="info">
          No cause found: no flag, deploy or attribute separates the selected traces from the others.
        </Notice>
      ) : (
        <ol className={classes.list} aria-label="Causes">
          {why.suspects.map((suspect, index) => (
            <li key={JSON.stringify(suspect.cause)} className={classes.suspect}>
              <div className={classes.text}>
                <p className={index === 0 ? classes.first : undefined}>{suspect.sentence}</p>
                <Facts suspect={suspect} {...context} />
              </div>
              <Action suspect={suspect} {...context} />
            </li>
          ))}
        </ol>
      )}
      {why.warnings.map((warning) => (
        <p key={warning} className={classes.note}>
          {warning}
        </p>
      ))}
      <details className={classes.note}>
        <summary>
          {countOf(why.compared.selected, 'selected trace')} compared with {countOf(why.compared.others, 'other')}
          {why.folded.length > 0 && `, ${countOf(why.folded.length, 'attribute')} left out`}
        </summary>
        {why.onset && (
          <p>
            The share of selected traces rose from {formatPercent(why.onset.before)} to {formatPercent(why.onset.after)}{' '}
            at <Timestamp value={why.onset.time} /> (between <Timestamp value={why.onset.from} /> and{' '}
            <Timestamp value={why.onset.to} />
            ).
          </p>
        )}
        <ul>
          {foldedText(why.folded).map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      </details>
    </div>
  );
}

function Facts({ suspect, project }: { suspect: Suspect } & Context) {
  const { ws } = useScope();
  const { cause, also, action } = suspect;
  const running = action.kind === 'turn_off' ? runningText(action.running) : null;
  return (
    <>
      <p className={classes.facts}>
        {cause.kind === 'flag' && (
          <>
            <AppLink
              className="mono"
              to="/w/$ws/$project/flags/$key"
              params={{ ws, project: (action.kind === 'turn_off' && action.project) || project, key: cause.flag }}
            >
              {cause.flag}
            </AppLink>
            {': '}
          </>
        )}
        {ratesText(suspect)}
        {also.length > 0 && `. The same traces: ${also.map(causeText).join(', ')}`}
      </p>
      {running !== null && <p className={classes.facts}>{running}</p>}
    </>
  );
}

/** One case for each kind of action, so that a missing one fails the type check. */
function Action({ suspect: { action, cause }, project, environment, comment }: { suspect: Suspect } & Context) {
  const scope = useScope();
  switch (action.kind) {
    case 'turn_off':
      return (
        <TurnOffFlag
          verb="Turn off"
          flag={action.flag}
          project={action.project ?? project}
          environment={action.environment ?? action.running[0]?.environment ?? environment}
          comment={comment}
          running={action.running}
        />
      );
    case 'open_deploy':
      return (
        <ButtonLink
          variant="default"
          size="xs"
          to="/w/$ws/$project/services/$service"
          params={{ ...scope, service: action.service }}
          aria-label={`Open the deploy of ${causeText(cause)}`}
        >
          Open the deploy
        </ButtonLink>
      );
    case 'show_rows':
      return (
        <ButtonLink
          variant="default"
          size="xs"
          to="/w/$ws/$project/explore"
          params={scope}
          search={{ q: `spans | where ${action.where}` }}
          aria-label={`Show these traces: ${causeText(cause)}`}
        >
          Show these traces
        </ButtonLink>
      );
    case 'show_logs':
      return (
        <ButtonLink
          variant="default"
          size="xs"
          to="/w/$ws/$project/logs"
          params={scope}
          search={{ q: action.where }}
          aria-label={`Show these logs: ${causeText(cause)}`}
        >
          Show these logs
        </ButtonLink>
      );
    case 'open_error':
      return (
        <ButtonLink
          variant="default"
          size="xs"
          to="/w/$ws/$project/errors"
          params={scope}
          search={{ error: action.error }}
          aria-label={`Open the error “${causeText(cause)}”`}
        >
          Open the error
        </ButtonLink>
      );
    default:
      return action satisfies never;
  }
}
