import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { ScopeLink } from '../../app/scope-links.tsx';
import { useScope } from '../../app/session.ts';
import { CopyButton } from '../../ui/code-block.tsx';
import { serviceColour } from '../../ui/colours.ts';
import { countOf, formatDuration } from '../../ui/format/index.ts';
import {
  ActionIcon,
  Button,
  SegmentedControl,
  TextInput,
  Tooltip,
  useComputedColorScheme,
  useHotkeys,
} from '../../ui/mantine.ts';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Loading } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { Minimap } from './minimap.tsx';
import { traceQuery } from './queries.ts';
import { SpanPanel } from './span-panel.tsx';
import { CutNote } from './trace-cut.tsx';
import { FlagLines } from './trace-flags.tsx';
import { nextError } from './trace-folds.ts';
import { LogLines } from './trace-logs.tsx';
import { isError, type Trace } from './trace-tree.ts';
import { useMatches, useSetSearch, useSpans } from './use-spans.ts';
import classes from './waterfall.module.css';
import { Waterfall } from './waterfall.tsx';

/** One trace: its waterfall, the selected span, its logs and its flag evaluations. */
export function TracePage() {
  const scope = useScope();
  const { traceId } = useParams({ from: '/w/$ws/$project/traces/$traceId' });
  const { data, error, refetch } = useQuery(traceQuery(scope.ws, traceId));
  const root = data?.spans.find((span) => span.parent_span_id === null || span.parent_span_id === '') ?? data?.spans[0];
  return (
    <Page
      title={root ? root.name : 'Trace'}
      crumbs={<ScopeLink to="/w/$ws/$project/traces">Traces</ScopeLink>}
      subtitle={
        <span className="mono">
          {traceId} <CopyButton value={traceId} label="Copy trace id" size="xs" />
        </span>
      }
      flush
    >
      {error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <TraceView key={data.trace_id} trace={data} />
      ) : (
        <Loading label="Loading the trace" />
      )}
    </Page>
  );
}

function TraceView({ trace }: { trace: Trace }) {
  const { q = '', view: tab } = useSearch({ from: '/w/$ws/$project/traces/$traceId' });
  const setSearch = useSetSearch();
  const spans = useSpans(trace);
  const { tree, everything, selected, select } = spans;
  const matches = useMatches(everything, q);
  const toError = (direction: 'next' | 'previous') => {
    const found = nextError(everything, selected, direction);
    if (found) select(found.span.span_id);
  };
  useHotkeys([
    ['n', () => toError('next')],
    ['p', () => toError('previous')],
  ]);
  const nextMatch = () => {
    if (!matches || matches.size === 0) return;
    const found = everything.filter((candidate) => matches.has(candidate.span.span_id));
    const at = found.findIndex((candidate) => candidate.span.span_id === selected);
    select(found[(at + 1) % found.length]?.span.span_id);
  };

  const beside = [
    { value: 'logs', label: `Logs ${trace.logs?.length ?? 0}`, count: trace.logs?.length ?? 0 },
    { value: 'flags', label: `Flags ${trace.flags?.length ?? 0}`, count: trace.flags?.length ?? 0 },
  ]
    .filter(({ count }) => count > 0)
    .map(({ value, label }) => ({ value, label }));
  const shown = beside.some(({ value }) => value === tab) ? tab : 'waterfall';

  return (
    <div className={classes.screen}>
      <Summary trace={trace} duration={tree.duration} onError={toError}>
        {matches && <span className="dim">{countOf(matches.size, 'match', 'matches')}</span>}
        <SpanSearch value={q} onNext={nextMatch} />
        <Button variant="default" onClick={spans.foldAll}>
          {spans.collapsed.size > 0 ? 'Expand all' : 'Collapse all'}
        </Button>
        {beside.length > 0 && (
          <SegmentedControl
            aria-label="Show"
            value={shown}
            onChange={(next) => setSearch({ view: next === 'waterfall' ? undefined : next })}
            data={[{ value: 'waterfall', label: 'Spans' }, ...beside]}
          />
        )}
      </Summary>
      <Shown trace={trace} shown={shown} spans={spans} matches={matches} />
    </div>
  );
}

/** The field that searches spans. Enter selects the next one that it finds. */
function SpanSearch({ value, onNext }: { value: string; onNext: () => void }) {
  const setSearch = useSetSearch();
  return (
    <TextInput
      data-focus-search
      aria-label="Search spans"
      placeholder="Search spans"
      w={200}
      value={value}
      onChange={(event) => setSearch({ q: event.currentTarget.value })}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onNext();
      }}
    />
  );
}

/** The part of a trace that was chosen: its flags, its logs or its spans. */
function Shown({
  trace,
  shown,
  spans,
  matches,
}: {
  trace: Trace;
  shown: string | undefined;
  spans: ReturnType<typeof useSpans>;
  matches: ReadonlySet<string> | null;
}) {
  const setSearch = useSetSearch();
  const open = (spanId: string) => setSearch({ span: spanId, view: undefined });
  if (shown === 'flags')
    return (
      <div style={{ overflow: 'auto', padding: '8px 24px' }}>
        <CutNote trace={trace} list="flags" />
        <FlagLines flags={trace.flags ?? []} onOpen={open} />
      </div>
    );
  if (shown === 'logs' && trace.logs)
    return (
      <div style={{ overflow: 'auto', padding: '8px 24px' }}>
        <CutNote trace={trace} list="logs" />
        <LogLines logs={trace.logs} onOpen={open} />
      </div>
    );
  if (trace.spans.length === 0) return <EmptyState title="No spans">No span of this trace has arrived yet.</EmptyState>;
  return <Spans trace={trace} spans={spans} matches={matches} />;
}

/** The waterfall, and the span that is selected in it. */
function Spans({
  trace,
  spans,
  matches,
}: {
  trace: Trace;
  spans: ReturnType<typeof useSpans>;
  matches: ReadonlySet<string> | null;
}) {
  const { tree, everything, view, selected, select } = spans;
  const scheme = useComputedColorScheme();
  const critical = useMemo(() => new Set(trace.critical_path), [trace]);
  const node = selected === undefined ? undefined : tree.bySpanId.get(selected);
  return (
    <div className={classes.frame} data-docked>
      <div className={classes.left}>
        <Minimap rows={everything} duration={tree.duration} view={view} onView={spans.setView} scheme={scheme} />
        <Waterfall
          rows={spans.rows}
          view={view}
          collapsed={spans.collapsed}
          opened={spans.opened}
          selected={selected}
          matches={matches}
          critical={critical}
          scheme={scheme}
          onSelect={select}
          onFold={spans.fold}
          onOpen={spans.openFold}
          onLeave={() => select(undefined)}
        />
      </div>
      {node && <SpanPanel node={node} trace={trace} onClose={() => select(undefined)} onMove={spans.moveBy} />}
    </div>
  );
}

function Summary({
  trace,
  duration,
  onError,
  children,
}: {
  trace: Trace;
  duration: number;
  onError: (direction: 'next' | 'previous') => void;
  children: ReactNode;
}) {
  const scheme = useComputedColorScheme();
  const errors = trace.spans.filter(isError).length;
  return (
    <div className={classes.toolbar}>
      <span className={classes.fact}>
        <b>{formatDuration(duration)}</b>
      </span>
      <span className={classes.fact}>{countOf(trace.spans.length, 'span')}</span>
      {errors > 0 && (
        <span className={`${classes.fact} ${classes.errors}`}>
          <span className={classes.error}>{countOf(errors, 'error')}</span>
          <Tooltip label="Previous error (p)">
            <ActionIcon aria-label="Previous error" aria-keyshortcuts="p" onClick={() => onError('previous')}>
              <IconChevronUp size={15} stroke={1.6} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label="Next error (n)">
            <ActionIcon aria-label="Next error" aria-keyshortcuts="n" onClick={() => onError('next')}>
              <IconChevronDown size={15} stroke={1.6} />
            </ActionIcon>
          </Tooltip>
        </span>
      )}
      <span className={`${classes.fact} dim`}>
        <Timestamp value={trace.start} milliseconds />
      </span>
      <ul className={classes.legend} aria-label="Services">
        {trace.services.map((service) => (
          <li key={service}>
            <span className={classes.swatch} style={{ background: serviceColour(service, scheme) }} />
            {service}
          </li>
        ))}
      </ul>
      {children}
    </div>
  );
}
