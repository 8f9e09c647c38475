import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { AlertInstance } from '../../alerting/instances.ts';
import { type Scope, useCan, useScope } from '../../app/session.ts';
import { AppLink } from '../../ui/link.tsx';
import { useOneStop } from '../../ui/one-stop.ts';
import { Panel } from '../../ui/page.tsx';
import { Loaded } from '../../ui/resource/loaded.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { TurnOffFlag } from '../why/turn-off-flag.tsx';
import { WhyList } from '../why/why-list.tsx';
import classes from './alerts.module.css';
import { type AlertExplanation, alertExplanationQuery } from './queries.ts';

/** Why an instance fired: the causes of its failing rows, and what changed before. */
export function Explanation({ instance }: { instance: AlertInstance }) {
  const { ws } = useScope();
  const canQuery = useCan('telemetry:query');
  const { data, error, refetch } = useQuery({ ...alertExplanationQuery(ws, instance.id), enabled: canQuery });
  if (!canQuery) return null;
  const place = { ws, project: instance.project };
  const comment = `Alert: ${instance.rule_name}`;
  const environmentOf = (flag: string) =>
    data?.changes.find(({ name, environment }) => name === flag && environment !== null)?.environment ??
    instance.environment ??
    instance.labels['deployment.environment.name'];
  const blamed = data?.why.suspects.flatMap(({ cause }) => (cause.kind === 'flag' ? [cause.flag] : [])) ?? [];
  const stop = (flag: string) =>
    // The list of causes has the button, and says what runs on the flag.
    blamed.includes(flag) ? null : (
      <TurnOffFlag
        verb="Stop"
        flag={flag}
        project={instance.project}
        comment={comment}
        environment={environmentOf(flag)}
      />
    );
  return (
    <Panel title="Why">
      <Loaded query={{ data, error, refetch }} label="Comparing failing rows with the others" compact>
        {(data) => (
          <div className={classes.why}>
            <WhyList
              why={data.why}
              project={instance.project}
              environment={blamed[0] === undefined ? undefined : environmentOf(blamed[0])}
              comment={comment}
            />
            <Changes changes={data.changes} place={place} stop={stop} />
            <Traces traces={data.traces} />
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={classes.part} aria-label={title}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

interface OfFlags {
  /** Where the flags are: the project of the rule. */
  readonly place: Scope;
  /** The button that stops a flag. */
  readonly stop: (flag: string) => ReactNode;
}

function Changes({ changes, place, stop }: Pick<AlertExplanation, 'changes'> & OfFlags) {
  return (
    <Part title="Changes in the hour before">
      {changes.length === 0 ? (
        <span className="dim">No flag of the project changed, and no new version of the service appeared.</span>
      ) : (
        <ul className={classes.findings}>
          {changes.map(({ time, kind, name, detail, environment, actor }, index) => (
            <li key={`${time} ${name} ${detail}`}>
              <Timestamp value={time} recent />{' '}
              {kind === 'flag' ? (
                <AppLink className="mono" to="/w/$ws/$project/flags/$key" params={{ ...place, key: name }}>
                  {name}
                </AppLink>
              ) : (
                <span className="mono">{name}</span>
              )}{' '}
              {detail}
              {environment !== null && ` in ${environment}`}
              {actor !== null && <span className="dim"> by {actor}</span>}
              {kind === 'flag' && changes.findIndex((one) => one.name === name) === index && stop(name)}
            </li>
          ))}
        </ul>
      )}
    </Part>
  );
}

function Traces({ traces }: Pick<AlertExplanation, 'traces'>) {
  const scope = useScope();
  const list = useOneStop<HTMLUListElement>();
  if (traces.length === 0) return null;
  return (
    <Part title="Example traces">
      <ul ref={list} className={classes.findings}>
        {traces.map(({ trace_id, time, service, name }) => (
          <li key={trace_id}>
            <Timestamp value={time} recent />{' '}
            <AppLink to="/w/$ws/$project/traces/$traceId" params={{ ...scope, traceId: trace_id }}>
              {name}
            </AppLink>{' '}
            <span className="dim">{service}</span>
          </li>
        ))}
      </ul>
    </Part>
  );
}
