import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Tone } from '../../alerting/states.ts';
import { ScopeLink } from '../../app/scope-links.tsx';
import { NO_PROJECT, useCan, useScope } from '../../app/session.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { AppLink } from '../../ui/link.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { type ListedSlo, standingsQuery } from '../slos/queries.ts';
import { BudgetLeft, SloState } from '../slos/slo-state.tsx';
import { burnText, leastBudgetFirst, stateOf } from '../slos/slo-words.ts';
import classes from './home.module.css';
import { HomePanel, ROWS } from './home-panel.tsx';

export interface Budgets {
  /** SLOs that burn or cannot be counted, the least budget first; undefined while they load. */
  readonly burning: readonly { readonly slo: ListedSlo; readonly tone: Tone }[] | undefined;
  /** All SLOs, in the same order. */
  readonly all: readonly ListedSlo[];
  readonly error: unknown;
}

/** The SLOs of the project that need somebody. */
export function useBudgets(): Budgets {
  const { ws, project } = useScope();
  const enabled = useCan('telemetry:query') && project !== NO_PROJECT;
  const { data, error } = useQuery({ ...standingsQuery(ws, project), enabled });
  return useMemo(() => {
    const all = leastBudgetFirst(data ?? []);
    const judged = all.map((slo) => ({ slo, tone: stateOf(slo, slo.status).tone }));
    const burning = judged.filter(({ tone }) => tone === 'firing' || tone === 'pending');
    return { burning: data === undefined && enabled ? undefined : burning, all, error };
  }, [data, error, enabled]);
}

/** The error budgets that burn. */
export function BudgetsPanel({ budgets: { burning, all, error } }: { budgets: Budgets }) {
  const scope = useScope();
  const navigate = useNavigate();
  return (
    <HomePanel
      title="Burning error budgets"
      isPending={burning === undefined && !error}
      more={<ScopeLink to="/w/$ws/$project/slos">All SLOs</ScopeLink>}
    >
      {error ? (
        <ErrorState compact error={error} />
      ) : burning === undefined || burning.length === 0 ? (
        <p className={classes.none}>{all.length === 0 ? 'This project has no SLOs.' : 'No error budget is burning.'}</p>
      ) : (
        <DataTable
          label="Burning error budgets"
          rows={burning.slice(0, ROWS)}
          rowKey={({ slo }) => slo.id}
          onRowClick={({ slo: { id } }) => void navigate({ to: '/w/$ws/$project/slos/$id', params: { ...scope, id } })}
          columns={[
            { id: 'state', header: 'State', width: 130, cell: ({ slo }) => <SloState slo={slo} status={slo.status} /> },
            {
              id: 'name',
              header: 'SLO',
              cell: ({ slo: { id, name } }) => (
                <AppLink to="/w/$ws/$project/slos/$id" params={{ ...scope, id }}>
                  {name}
                </AppLink>
              ),
            },
            {
              id: 'burn',
              header: 'Burn 1h',
              width: 80,
              numeric: true,
              cell: ({ slo }) => burnText(slo.status?.burn.find(({ window }) => window === '1h')?.rate ?? null),
            },
            {
              id: 'left',
              header: 'Budget left',
              width: 170,
              cell: ({ slo }) => <BudgetLeft left={slo.status?.budget.left} />,
            },
          ]}
        />
      )}
    </HomePanel>
  );
}
