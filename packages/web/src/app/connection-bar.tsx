import { useEffect, useState, useSyncExternalStore } from 'react';
import { type Connection, connection } from '../api/connection.ts';
import { formatTimestamp } from '../ui/format/index.ts';
import { Button } from '../ui/mantine.ts';
import { useNow } from '../ui/use-now.ts';
import classes from './connection-bar.module.css';

/** A shorter outage shows nothing: a restart behind a proxy, a lost packet. */
const SHOWN_AFTER_MS = 2_000;

function useConnection(): Connection {
  return useSyncExternalStore(connection.subscribe, connection.current);
}

/** Whether the server has not answered for so long that what the page shows may be out of date. */
export function useIsCutOff(): boolean {
  const current = useConnection();
  const since = current.state === 'down' ? current.since : undefined;
  const [isCutOff, setIsCutOff] = useState(false);
  useEffect(() => {
    setIsCutOff(false);
    if (since === undefined) return;
    const timer = setTimeout(() => setIsCutOff(true), Math.max(0, since + SHOWN_AFTER_MS - Date.now()));
    return () => clearTimeout(timer);
  }, [since]);
  return isCutOff;
}

/** Shows on every page that the server does not respond, how old the data is, and when the next attempt starts. */
export function ConnectionBar() {
  const current = useConnection();
  const now = useNow(500, current.state === 'down');
  if (!useIsCutOff() || current.state === 'up') return null;
  const { since, lastAnswer, retryAt } = current;
  return (
    <div className={classes.bar} role="alert">
      <div>
        <b>The server is not responding</b>, for {seconds(now - since)} now.
        {lastAnswer > 0 && <> This page is as of {formatTimestamp(lastAnswer)}.</>}
      </div>
      {/* A countdown that is read aloud every second would drown everything else. */}
      <div className={classes.next} aria-hidden>
        {retryAt === undefined ? 'Trying …' : `Next attempt in ${seconds(retryAt - now)}`}
      </div>
      <Button variant="default" size="compact-sm" onClick={connection.retry} disabled={retryAt === undefined}>
        Try now
      </Button>
    </div>
  );
}

function seconds(milliseconds: number): string {
  return `${Math.max(0, Math.round(milliseconds / 1000))} s`;
}
