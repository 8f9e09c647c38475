import { useScope } from '../../app/session.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { AppLink } from '../../ui/link.tsx';
import { Panel } from '../../ui/page.tsx';
import { StateLabel } from '../alerts/alert-state.tsx';
import type { Slo, SloStatus } from './queries.ts';
import { burnText } from './slo-words.ts';
import classes from './slos.module.css';

type Pair = SloStatus['alerts'][number];

/** How fast the budget is spent now, pair by pair of windows, against what alerts. */
export function BurnRates({ slo, status }: { slo: Slo; status: SloStatus }) {
  const scope = useScope();
  const rateOf = (window: string) => status.burn.find((burn) => burn.window === window)?.rate ?? null;
  return (
    <Panel title="Burn rates now" tight>
      <DataTable
        label="Burn rates"
        rows={status.alerts}
        rowKey={({ long }) => long}
        columns={[
          { id: 'severity', header: 'Severity', cell: ({ severity }) => severity },
          {
            id: 'long',
            header: 'Long window',
            numeric: true,
            cell: (pair) => <Rate pair={pair} of="long" rate={rateOf(pair.long)} />,
          },
          {
            id: 'short',
            header: 'Short window',
            numeric: true,
            cell: (pair) => <Rate pair={pair} of="short" rate={rateOf(pair.short)} />,
          },
          { id: 'factor', header: 'Alerts above', numeric: true, cell: ({ factor }) => burnText(factor) },
          { id: 'state', header: 'State', cell: (pair) => <PairState pair={pair} /> },
        ]}
      />
      <p className={classes.note}>
        A rate of 1× spends exactly the budget of the window. A pair burns while both of its windows are above the
        threshold.{' '}
        {slo.burn_alerts ? (
          <>
            Its alerts are under{' '}
            <AppLink to="/w/$ws/$project/alerts" params={scope} search={{ q: slo.name }}>
              Alerts
            </AppLink>
            .
          </>
        ) : (
          'Nobody is alerted: burn-rate alerts are off.'
        )}
      </p>
    </Panel>
  );
}

function Rate({ pair, of, rate }: { pair: Pair; of: 'long' | 'short'; rate: number | null }) {
  const above = rate !== null && rate > pair.factor;
  return (
    <>
      <span className="dim">{pair[of]}</span>{' '}
      <span className={above ? classes.above : undefined}>{burnText(rate)}</span>
    </>
  );
}

function PairState({ pair: { firing, reachable } }: { pair: Pair }) {
  if (!reachable)
    return <StateLabel label="Not reachable" tone="off" title="Even a total failure does not burn that fast" />;
  return firing ? <StateLabel label="Burning" tone="firing" /> : <StateLabel label="OK" tone="ok" />;
}
