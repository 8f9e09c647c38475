import { quote, useOql } from '../../telemetry/oql.ts';
import { WhyPanel } from '../why/why-panel.tsx';
import { ENTRY_SPANS, readWindow, windowQuery } from './service-health.ts';

/** What causes the failed requests of a service; nothing as long as none fails. */
export function ServiceWhy({ service }: { service: string }) {
  const { data } = useOql(windowQuery(service), { keep: true });
  if (data === undefined || (readWindow(data.result).errors ?? 0) === 0) return null;
  return (
    <WhyPanel
      title="Why requests fail"
      where={`service.name == ${quote(service)} and ${ENTRY_SPANS}`}
      selection="status == error"
      comment={`Service: ${service}`}
    />
  );
}
