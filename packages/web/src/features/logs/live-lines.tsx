import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { endedSession } from '../../app/ended-session.ts';
import { useScope } from '../../app/session.ts';
import { useEnvironment } from '../../app/time-range.ts';
import { plainText } from '../../telemetry/results.ts';
import { followTail } from '../../telemetry/tail.ts';
import { DataTable, denseListHeight, listHeight, type MoveSelection } from '../../ui/data-table.tsx';
import { Docked } from '../../ui/docked-panel.tsx';
import { countOf } from '../../ui/format/index.ts';
import { Button, useMediaQuery } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { PHONE } from '../../ui/screen.ts';
import { EmptyState, ErrorState, Notice } from '../../ui/states.tsx';
import { appendLines, EMPTY_LINES, type Lines } from './live-rules.ts';
import { LogPanel, type LogRow, logColumns, useSeverityStripe, WRAPPED_ROW } from './log-detail.tsx';
import classes from './logs.module.css';

/** Lines that arrive between two renders are rendered together. */
const DRAW_EVERY_MS = 250;

/** The lines that match, as they arrive, unless somebody pauses them. */
function useTail(conditions: readonly string[]) {
  const { ws, project } = useScope();
  const environment = useEnvironment();
  const where = conditions.length === 0 ? undefined : conditions.join(' and ');
  const [lines, setLines] = useState<Lines>(EMPTY_LINES);
  const [state, setState] = useState<'connecting' | 'live'>('connecting');
  const [error, setError] = useState<unknown>(null);
  const [attempt, setAttempt] = useState(0);
  const retry = () => setAttempt((old) => old + 1);
  const [paused, setPaused] = useState(false);
  const waiting = useRef<LogRow[]>([]);
  const dropped = useRef(0);
  const held = useRef(false);
  held.current = paused;
  const [heldBack, setHeldBack] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt opens the same tail again
  useEffect(() => {
    const controller = new AbortController();
    let count = 0;
    waiting.current = [];
    dropped.current = 0;
    setLines(EMPTY_LINES);
    setState('connecting');
    setError(null);
    followTail(
      { ws, project, environment, source: 'logs', where },
      {
        onReady: () => setState('live'),
        onRow: (row) => waiting.current.push({ ...row, key: count++ }),
        onDropped: (more) => {
          dropped.current += more;
        },
        onInterrupted: () => setState('connecting'),
      },
      controller.signal,
    ).catch(setError);
    const timer = setInterval(() => {
      if (held.current) return setHeldBack(waiting.current.length);
      if (waiting.current.length === 0 && dropped.current === 0) return;
      const [fresh, missed] = [waiting.current, dropped.current];
      waiting.current = [];
      dropped.current = 0;
      setLines((old) => appendLines(old, fresh, missed));
    }, DRAW_EVERY_MS);
    return () => {
      controller.abort();
      clearInterval(timer);
    };
  }, [ws, project, environment, where, attempt]);

  // After another sign-in, the tail goes on.
  useEffect(() => endedSession.whenResumed(() => setAttempt((old) => old + 1)), []);
  const togglePause = () => {
    setHeldBack(0);
    setPaused((old) => !old);
  };
  return { lines, state, error, retry, paused, heldBack, togglePause };
}

/** Log lines as they arrive, newest first. While paused, new lines are kept and counted. */
export function LiveLines({ conditions }: { conditions: readonly string[] }) {
  const isNarrow = useMediaQuery(PHONE, false, { getInitialValueInEffect: false });
  const stripe = useSeverityStripe();
  const tail = useTail(conditions);
  const { lines, error, retry } = tail;
  const [opened, setOpened] = useState<LogRow | null>(null);
  const mover = useRef<MoveSelection | null>(null);
  const columns = useMemo(() => logColumns({ isPhone: isNarrow, isDocked: opened !== null }), [isNarrow, opened]);
  if (error) return <ErrorState error={error} onRetry={retry} />;
  return (
    <>
      <TailBar tail={tail} />
      {lines.dropped > 0 && <Missing count={lines.dropped} />}
      {lines.rows.length === 0 ? (
        <EmptyState title="Waiting for lines">
          New lines appear here within a second or two of their arrival.
        </EmptyState>
      ) : (
        <Docked
          panel={
            opened && (
              <LogPanel
                line={{ row: opened, entries: entriesOf(opened) }}
                onClose={() => setOpened(null)}
                onMove={(by) => mover.current?.(by)}
              />
            )
          }
        >
          <Panel tight>
            <DataTable
              label="Live log lines"
              rows={lines.rows}
              rowKey={(row) => String(row.key)}
              onRowClick={setOpened}
              selectedKey={opened === null ? undefined : String(opened.key)}
              mover={mover}
              height={
                isNarrow ? listHeight(lines.rows.length, 220, WRAPPED_ROW) : denseListHeight(lines.rows.length, 220)
              }
              {...(isNarrow && { rowHeight: WRAPPED_ROW })}
              dense
              stripe={stripe}
              columns={columns}
            />
          </Panel>
        </Docked>
      )}
    </>
  );
}

/** Whether lines arrive, and the button that pauses them. */
function TailBar({ tail: { lines, state, paused, heldBack, togglePause } }: { tail: ReturnType<typeof useTail> }) {
  return (
    <div className={classes.live}>
      <span className={classes.pulse} data-state={paused ? 'paused' : state} />
      <span role="status">
        {paused
          ? `Paused, ${countOf(heldBack, 'new line')}`
          : state === 'live'
            ? `Live, ${countOf(lines.seen, 'line')} so far`
            : 'Connecting'}
      </span>
      <span className={classes.grow} />
      <Button
        variant="default"
        leftSection={paused ? <IconPlayerPlay size={14} /> : <IconPlayerPause size={14} />}
        onClick={togglePause}
      >
        {paused ? 'Resume' : 'Pause'}
      </Button>
    </div>
  );
}

function Missing({ count }: { count: number }) {
  return (
    <Notice kind="warning">
      {countOf(count, 'line')} arrived too fast to show and are missing here. Narrow the search. Nothing is lost: the
      Lines view lists them.
    </Notice>
  );
}

function entriesOf(row: LogRow): [string, string][] {
  return Object.entries(row).flatMap(([name, value]): [string, string][] => {
    if (name === 'key') return [];
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return Object.entries(value).map(([key, inner]) => [`${name}.${key}`, plainText(inner)]);
    return [[name, plainText(value)]];
  });
}
