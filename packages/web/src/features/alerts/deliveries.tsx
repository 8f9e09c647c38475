import { useScope } from '../../app/session.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { countOf } from '../../ui/format/index.ts';
import { AppLink } from '../../ui/link.tsx';
import { Panel } from '../../ui/page.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import classes from './alerts.module.css';
import type { AlertInstanceDetail } from './queries.ts';

type Delivery = AlertInstanceDetail['deliveries'][number];

const REASONS: Readonly<Record<Delivery['reason'], string>> = {
  first: 'first message',
  new_alerts: 'more alerts',
  resolved: 'some resolved',
  all_resolved: 'all resolved',
  repeat: 'repeated',
};

/** The messages about an alert, and what their receivers answered. */
export function Deliveries({ deliveries }: { deliveries: readonly Delivery[] }) {
  const scope = useScope();
  if (deliveries.length === 0)
    return (
      <Panel title="Deliveries">
        <span className="dim">
          No message was sent about it.{' '}
          <AppLink className={classes.link} to="/w/$ws/$project/routing" params={scope}>
            See where alerts go
          </AppLink>
          .
        </span>
      </Panel>
    );
  return (
    <Panel title="Deliveries" tight>
      <DataTable
        label="Deliveries"
        rows={deliveries}
        rowKey={({ id }) => id}
        columns={[
          { id: 'time', header: 'Time', width: 190, cell: ({ created_at }) => <Timestamp value={created_at} /> },
          {
            id: 'channel',
            header: 'Channel',
            width: 220,
            cell: ({ channel, fallback }) => (
              <>
                {channel.name} <span className="dim">{fallback ? `${channel.kind}, fallback` : channel.kind}</span>
              </>
            ),
          },
          {
            id: 'reason',
            header: 'Why',
            width: 200,
            cell: ({ notified, reason }) => (
              <>
                {notified} <span className="dim">{REASONS[reason]}</span>
              </>
            ),
          },
          { id: 'result', header: 'Result', cell: (delivery) => <Result delivery={delivery} /> },
        ]}
      />
    </Panel>
  );
}

function Result({ delivery }: { delivery: Delivery }) {
  const { status, answer, error } = delivery;
  return (
    <span className={classes.result}>
      <span>
        <span className={classes.outcome} data-status={status}>
          {outcomeText(delivery)}
        </span>
        {status === 'pending' && delivery.next_attempt_at !== null && delivery.attempts > 0 && (
          <span className="dim">
            , again <Timestamp value={delivery.next_attempt_at} ago />
          </span>
        )}
      </span>
      {error !== null && status !== 'delivered' && <span>{error}</span>}
      {answer !== null && answer !== '' && (
        <details>
          <summary>Answer of the receiver</summary>
          <pre>{answer}</pre>
        </details>
      )}
    </span>
  );
}

/** `Delivered, 200`, `Failed after 3 attempts, 404`. */
function outcomeText({ status, attempts, answer_status }: Delivery): string {
  const answered = answer_status === null ? '' : `, status ${answer_status}`;
  if (status === 'pending')
    return attempts === 0 ? 'Waiting' : `Retried, ${countOf(attempts, 'attempt')} failed${answered}`;
  const tries = attempts > 1 ? ` after ${countOf(attempts, 'attempt')}` : '';
  return `${status === 'delivered' ? 'Delivered' : 'Failed'}${tries}${answered}`;
}
