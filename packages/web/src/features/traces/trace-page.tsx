import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
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
  useMediaQuery,
} from '../../ui/mantine.ts';
import { Page } from '../../ui/page.tsx';
import { PHONE } from '../../ui/screen.ts';
import { EmptyState, ErrorState, Loading } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { Minimap, type View } from './minimap.tsx';
import { traceQuery } from './queries.ts';
import { SpanPanel } from './span-panel.tsx';
import { CutNote } from './trace-cut.tsx';
import { FlagLines } from './trace-flags.tsx';
import { firstFailure, foldsAround, foldsOf, nextError, waterfallRows } from './trace-folds.ts';
import { LogLines } from './trace-logs.tsx';
import { ancestorIds, buildTree, isError, spanMatches, type Trace, visibleNodes } from './trace-tree.ts';
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
  const { span: asked, q = '', view: tab } = useSearch({ from: '/w/$ws/$project/traces/$traceId' });
  const navigate = useNavigate();
  const scheme = useComputedColorScheme();
  const tree = useMemo(() => buildTree(trace), [trace]);
  const folds = useMemo(() => foldsOf(tree.roots), [tree]);
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set());
  const [view, setView] = useState<View>({ from: 0, to: tree.duration });
  const everything = useMemo(() => visibleNodes(tree.roots, new Set()), [tree]);
  // A trace that failed opens on its failure, until somebody selects a span or closes the panel. A phone has no space for both.
  const isPhone = useMediaQuery(PHONE, false, { getInitialValueInEffect: false });
  const [hasChosen, setHasChosen] = useState(false);
  const failure = useMemo(() => firstFailure(everything)?.span.span_id, [everything]);
  const selected = asked ?? (hasChosen || isPhone ? undefined : failure);
  const [opened, setOpened] = useState<ReadonlySet<string>>(() => {
    const target = selected === undefined ? undefined : tree.bySpanId.get(selected);
    return new Set(target ? foldsAround(target, folds) : []);
  });
  const rows = useMemo(() => waterfallRows(tree.roots, folds, { collapsed, opened }), [tree, folds, collapsed, opened]);
  const matches = useMemo(
    () =>
      q.trim() === ''
        ? null
        : new Set(everything.filter((node) => spanMatches(node.span, q)).map((node) => node.span.span_id)),
    [everything, q],
  );
  const critical = useMemo(() => new Set(trace.critical_path), [trace]);
  const node = selected === undefined ? undefined : tree.bySpanId.get(selected);

  const setSearch = (next: { span?: string | undefined; q?: string | undefined; view?: string | undefined }) =>
    void navigate({ to: '.', search: (old) => ({ ...old, ...next }), replace: true });
  const select = (spanId: string | undefined) => {
    const target = spanId === undefined ? undefined : tree.bySpanId.get(spanId);
    if (target) {
      const hidden = ancestorIds(target).filter((id) => collapsed.has(id));
      if (hidden.length > 0) setCollapsed((old) => new Set([...old].filter((id) => !hidden.includes(id))));
      const around = foldsAround(target, folds);
      if (around.length > 0) setOpened((old) => new Set([...old, ...around]));
    }
    setHasChosen(true);
    setSearch({ span: spanId });
  };
  const toError = (direction: 'next' | 'previous') => {
    const found = nextError(everything, selected, direction);
    if (found) select(found.span.span_id);
  };
  useHotkeys([
    ['n', () => toError('next')],
    ['p', () => toError('previous')],
  ]);
  const moveBy = (by: 1 | -1) => {
    const spans = rows.flatMap((row) => (row.kind === 'span' ? [row.node.span.span_id] : []));
    const at = selected === undefined ? -1 : spans.indexOf(selected);
    const next = spans[at + by];
    if (at !== -1 && next !== undefined) select(next);
  };
  const fold = (spanId: string, closed: boolean) =>
    setCollapsed((old) => {
      const next = new Set(old);
      if (closed) next.add(spanId);
      else next.delete(spanId);
      return next;
    });
  const openFold = (id: string, open: boolean) =>
    setOpened((old) => new Set(open ? [...old, id] : [...old].filter((other) => other !== id)));
  const nextMatch = () => {
    if (!matches || matches.size === 0) return;
    const found = everything.filter((candidate) => matches.has(candidate.span.span_id));
    const at = found.findIndex((candidate) => candidate.span.span_id === selected);
    select(found[(at + 1) % found.length]?.span.span_id);
  };
  const foldAll = () => {
    setOpened(new Set());
    setCollapsed(
      collapsed.size > 0
        ? new Set()
        : new Set(
            everything
              .filter((candidate) => candidate.depth > 0 && candidate.children.length > 0)
              .map((candidate) => candidate.span.span_id),
          ),
    );
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
        <TextInput
          data-focus-search
          aria-label="Search spans"
          placeholder="Search spans"
          w={200}
          value={q}
          onChange={(event) => setSearch({ q: event.currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key === 'Enter') nextMatch();
          }}
        />
        <Button variant="default" onClick={foldAll}>
          {collapsed.size > 0 ? 'Expand all' : 'Collapse all'}
        </Button>
        {beside.length > 0 && (
          <SegmentedControl
            size="xs"
            aria-label="Show"
            value={shown}
            onChange={(next) => setSearch({ view: next === 'waterfall' ? undefined : next })}
            data={[{ value: 'waterfall', label: 'Spans' }, ...beside]}
          />
        )}
      </Summary>
      {shown === 'flags' ? (
        <div style={{ overflow: 'auto', padding: '8px 24px' }}>
          <CutNote trace={trace} list="flags" />
          <FlagLines flags={trace.flags ?? []} onOpen={(spanId) => setSearch({ span: spanId, view: undefined })} />
        </div>
      ) : shown === 'logs' && trace.logs ? (
        <div style={{ overflow: 'auto', padding: '8px 24px' }}>
          <CutNote trace={trace} list="logs" />
          <LogLines logs={trace.logs} onOpen={(spanId) => setSearch({ span: spanId, view: undefined })} />
        </div>
      ) : trace.spans.length === 0 ? (
        <EmptyState title="No spans">No span of this trace has arrived yet.</EmptyState>
      ) : (
        <div className={classes.frame} data-docked>
          <div className={classes.left}>
            <Minimap rows={everything} duration={tree.duration} view={view} onView={setView} scheme={scheme} />
            <Waterfall
              rows={rows}
              view={view}
              collapsed={collapsed}
              opened={opened}
              selected={selected}
              matches={matches}
              critical={critical}
              scheme={scheme}
              onSelect={select}
              onFold={fold}
              onOpen={openFold}
              onLeave={() => select(undefined)}
            />
          </div>
          {node && <SpanPanel node={node} trace={trace} onClose={() => select(undefined)} onMove={moveBy} />}
        </div>
      )}
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
