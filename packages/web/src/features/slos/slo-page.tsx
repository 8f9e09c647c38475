import { exportSlo, removeSlo } from '@fanion/contract';
import { IconDownload, IconPencil } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { call } from '../../api/client.ts';
import { DeleteAndLeave } from '../../app/resource-actions.tsx';
import { ScopeLink } from '../../app/scope-links.tsx';
import { useCan, useScope } from '../../app/session.ts';
import columns from '../../ui/columns.module.css';
import { countOf, formatDuration, formatNumber, formatPercent } from '../../ui/format/index.ts';
import { ButtonLink } from '../../ui/link.tsx';
import { Button } from '../../ui/mantine.ts';
import { Meter } from '../../ui/meter.tsx';
import { Panel } from '../../ui/page.tsx';
import { ResourcePage } from '../../ui/resource/resource-page.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ErrorNotice, ErrorState, Notice } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { toastError } from '../../ui/toast.ts';
import { BurnDown } from './burn-down.tsx';
import { BurnRates } from './burn-rates.tsx';
import { refreshSlos, type Slo, type SloStatus, sloQuery, sloStatusQuery } from './queries.ts';
import { BudgetLeft, SloState } from './slo-state.tsx';
import { allowedText, attainmentText, budgetTone, objectiveText, periodSeconds, windowText } from './slo-words.ts';
import classes from './slos.module.css';
import { SpentByPanel } from './spent-by.tsx';

/** One SLO: how it stands, how its budget went, how fast it burns, and who spent it. */
export function SloPage() {
  const scope = useScope();
  const { id } = useParams({ from: '/w/$ws/$project/slos/$id' });
  const canWrite = useCan('dashboards:write');
  const canQuery = useCan('telemetry:query');
  const status = useQuery({ ...sloStatusQuery(scope.ws, id), enabled: canQuery });
  return (
    <ResourcePage
      query={useQuery({ ...sloQuery(scope.ws, id), refetchOnMount: 'always' })}
      what="SLO"
      title="SLO"
      crumbs={<ScopeLink to="/w/$ws/$project/slos">SLOs</ScopeLink>}
      subtitle={(slo) => <SloState slo={slo} status={canQuery ? status.data : null} />}
      actions={(slo) => canWrite && <Actions slo={slo} />}
    >
      {(slo) => (
        <>
          {slo.description !== '' && <p className={classes.prose}>{slo.description}</p>}
          {slo.health.error !== null && (
            <Notice kind="error">The events could not be counted: {slo.health.error}</Notice>
          )}
          {!canQuery ? (
            <Notice kind="info">How it stands is shown to people with the permission telemetry:query.</Notice>
          ) : status.data === undefined ? (
            status.error ? (
              <ErrorState error={status.error} onRetry={() => void status.refetch()} />
            ) : (
              <Skeleton height={900} label="Loading how the SLO stands" />
            )
          ) : (
            <>
              <ErrorNotice error={status.error} />
              <Backfill backfill={status.data.backfill} />
              <Summary slo={slo} status={status.data} />
              <BurnDown slo={slo} />
              <div className={`${columns.columns} ${classes.pair}`}>
                <BurnRates slo={slo} status={status.data} />
                <Definition slo={slo} status={status.data} />
              </div>
              <SpentByPanel slo={slo} />
            </>
          )}
        </>
      )}
    </ResourcePage>
  );
}

function Backfill({ backfill: { state, progress, error } }: Pick<SloStatus, 'backfill'>) {
  if (state === 'done') return null;
  if (state === 'failed')
    return (
      <Notice kind="error">
        The past could not be counted further than {formatPercent(progress)}: {error}
      </Notice>
    );
  return (
    <Notice kind="info">
      Past events are being counted, the latest day first. Until then, figures contain only what has been counted.
      <Meter label="Progress of counting the past" share={progress} progress />
    </Notice>
  );
}

function Summary({ slo, status }: { slo: Slo; status: SloStatus }) {
  const { attainment, objective, good, total, budget, exhausted_at, unmeasured } = status;
  const isSpent = budget.left !== null && budget.left <= 0;
  const missed = attainment !== null && attainment < objective;
  return (
    <dl className={classes.summary} aria-label="How it stands">
      <Fact title="Attained">
        <span className={classes.big} data-tone={missed ? 'error' : undefined}>
          {attainmentText(attainment, objective)}
        </span>
        <span className="dim">
          objective {objectiveText(objective)} over {windowText(slo.window)}
        </span>
      </Fact>
      <Fact title="Budget left">
        <span
          className={classes.big}
          data-tone={budget.left !== null && budgetTone(budget.left) === 'error' ? 'error' : undefined}
        >
          {formatPercent(budget.left)}
        </span>
        <BudgetLeft left={budget.left} />
      </Fact>
      <Fact title="Bad events">
        <span className={classes.big}>{formatNumber(budget.spent)}</span>
        <span className="dim">
          of {formatNumber(budget.allowed)} allowed; {formatNumber(good)} of {countOf(total, 'event')} are good
        </span>
      </Fact>
      <Fact title="Budget as time">
        <span className={classes.big}>
          {isSpent ? 'none' : formatDuration(Math.max(1, Math.round((budget.left ?? 1) * budget.period_seconds)) * 1e9)}
        </span>
        <span className="dim">of total failure left of {formatDuration(budget.period_seconds * 1e9)}</span>
      </Fact>
      <Fact title="Budget lasts">
        <span className={classes.big} data-tone={exhausted_at !== null ? 'error' : undefined}>
          {isSpent ? 'spent' : exhausted_at === null ? 'the window' : <Timestamp value={exhausted_at} ago />}
        </span>
        <span className="dim">
          at the burn rate of the last hour
          {!isSpent && exhausted_at !== null && (
            <>
              , until <Timestamp value={exhausted_at} />
            </>
          )}
        </span>
      </Fact>
      <Fact title="Not measured">
        <span className={classes.big}>{formatPercent(unmeasured.share)}</span>
        <span className="dim">{formatDuration(unmeasured.seconds * 1e9)} without events count neither way</span>
      </Fact>
    </dl>
  );
}

function Fact({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Definition({ slo, status }: { slo: Slo; status: SloStatus }) {
  const { ws } = useScope();
  const { indicator, objective, window, environment } = slo;
  const params = { ws, id: slo.id };
  const save = async () => {
    try {
      const { data } = await call(exportSlo, { params });
      const text = `${JSON.stringify(data, null, 2)}\n`;
      saveFile(new Blob([text], { type: 'application/json' }), `${data.metadata.name}.json`);
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <Panel
      title="What it counts"
      actions={
        <Button
          size="xs"
          variant="default"
          leftSection={<IconDownload size={15} stroke={1.6} />}
          onClick={() => void save()}
        >
          Export OpenSLO
        </Button>
      }
    >
      <div className={classes.stack}>
        {indicator.kind === 'events' && (
          <>
            <Code title="Events">{indicator.source}</Code>
            <Code title="Good events meet">{indicator.good}</Code>
          </>
        )}
        {indicator.kind === 'ratio' && (
          <>
            <Code title="Good events">{indicator.good}</Code>
            <Code title="All events">{indicator.total}</Code>
          </>
        )}
        {indicator.kind === 'slices' && (
          <Code title={`A slice of ${indicator.slice} is good if its value ${indicator.op} ${indicator.threshold}`}>
            {indicator.query}
          </Code>
        )}
        <span className="dim">
          {objectiveText(objective)} allows {allowedText(objective, periodSeconds(window))} of total failure in{' '}
          {windowText(window)}
          {environment !== null && `, in ${environment}`}. Events are counted up to{' '}
          <Timestamp value={status.derived_to} ago />; events that arrive late still count after{' '}
          <Timestamp value={status.settled_to} />.
        </span>
      </div>
    </Panel>
  );
}

function Code({ title, children }: { title: string; children: string }) {
  return (
    <div className={classes.field}>
      <span className="dim">{title}</span>
      <code className={classes.code}>{children}</code>
    </div>
  );
}

function Actions({ slo }: { slo: Slo }) {
  const scope = useScope();
  return (
    <>
      <DeleteAndLeave
        name={slo.name}
        body="Deletes the SLO with its counted events and its burn-rate alerts. The telemetry stays."
        action="Delete SLO"
        run={() => call(removeSlo, { params: { ws: scope.ws, id: slo.id } })}
        list="/w/$ws/$project/slos"
        queryKey={sloQuery(scope.ws, slo.id).queryKey}
        refresh={refreshSlos}
      />
      <ButtonLink
        to="/w/$ws/$project/slos/$id/edit"
        params={{ ...scope, id: slo.id }}
        leftSection={<IconPencil size={15} stroke={1.6} />}
      >
        Edit
      </ButtonLink>
    </>
  );
}
