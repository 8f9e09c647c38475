import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { type ColourScheme, serviceColour } from '../../ui/colours.ts';
import { formatDuration } from '../../ui/format/index.ts';
import { useMediaQuery } from '../../ui/mantine.ts';
import { PHONE } from '../../ui/screen.ts';
import { useVirtualRows } from '../../ui/virtual-rows.ts';
import type { View } from './minimap.tsx';
import type { Fold, WaterfallRow } from './trace-folds.ts';
import { axisTicks, type SpanNode } from './trace-tree.ts';
import classes from './waterfall.module.css';
import { FoldRow, position, Row } from './waterfall-row.tsx';

/** In pixels, as in the style sheet. On phones the name stands above the bar. */
const ROW = 28;
const PHONE_ROW = 48;

export interface WaterfallProps {
  rows: readonly WaterfallRow[];
  view: View;
  collapsed: ReadonlySet<string>;
  /** Ids of opened folds. */
  opened: ReadonlySet<string>;
  selected: string | undefined;
  /** Ids of spans that the search found; null without a search. */
  matches: ReadonlySet<string> | null;
  critical: ReadonlySet<string>;
  scheme: ColourScheme;
  onSelect: (spanId: string) => void;
  onFold: (spanId: string, fold: boolean) => void;
  onOpen: (foldId: string, open: boolean) => void;
  /** Escape was pressed. */
  onLeave: () => void;
}

/** The row that has the keyboard's attention: its index, -1 for none; and what makes another row active. */
function useActiveRow({ rows, selected, onSelect }: WaterfallProps) {
  // A fold has the keyboard's attention without being a selected span.
  const [attention, setAttention] = useState<{ fold: string; selected: string | undefined } | null>(null);
  // A new selection takes the attention back.
  const activeFold = attention?.selected === selected ? (attention?.fold ?? null) : null;
  const index = rows.findIndex((row) =>
    activeFold === null
      ? row.kind === 'span' && row.node.span.span_id === selected
      : row.kind === 'fold' && row.fold.id === activeFold,
  );
  const go = (row: WaterfallRow | undefined) => {
    if (row?.kind === 'fold') setAttention({ fold: row.fold.id, selected });
    else if (row) {
      setAttention(null);
      onSelect(row.node.span.span_id);
    }
  };
  return { index, activeFold, go };
}

/** The spans of a trace as a tree of bars over time. Only visible rows are in the document. */
export function Waterfall(props: WaterfallProps) {
  const { rows, view, selected } = props;
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const rowHeight = useMediaQuery(PHONE, false, { getInitialValueInEffect: false }) ? PHONE_ROW : ROW;
  const { start, end } = useVirtualRows(scroller, rows.length, rowHeight);
  const { index, activeFold, go } = useActiveRow(props);

  // Only a new selection scrolls; collapsing and searching keep the position.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    if (index !== -1) scrollIntoView(scroller.current, index, rowHeight);
  }, [selected, activeFold]);

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 280) / rowHeight) - 1);
    onTreeKey(event, props, { index, page, go });
  };

  return (
    <>
      <Axis view={view} />
      <div
        ref={scroller}
        className={classes.rows}
        role="tree"
        aria-label="Spans of the trace"
        tabIndex={0}
        aria-activedescendant={index >= start && index < end ? `${id}-${index}` : undefined}
        onKeyDown={onKeyDown}
      >
        <div className={classes.canvas} style={{ height: rows.length * rowHeight }} role="presentation">
          {rows.slice(start, end).map((row, offset) => {
            const at = start + offset;
            const place = { id: `${id}-${at}`, top: at * rowHeight, depth: row.depth, view };
            return row.kind === 'fold' ? (
              <FoldRow
                key={row.fold.id}
                {...place}
                {...foldProps(row.fold, props)}
                active={row.fold.id === activeFold}
              />
            ) : (
              // Broken traces contain duplicate span ids.
              <Row key={`${row.node.span.span_id}-${at}`} {...place} {...spanProps(row.node, props)} />
            );
          })}
        </div>
      </div>
    </>
  );
}

function scrollIntoView(scroller: HTMLElement | null, index: number, rowHeight: number): void {
  if (!scroller) return;
  const top = index * rowHeight;
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  else if (top + rowHeight > scroller.scrollTop + scroller.clientHeight)
    scroller.scrollTop = top + rowHeight - scroller.clientHeight;
}

function foldProps(fold: Fold, { opened, scheme, onOpen }: WaterfallProps) {
  return { fold, open: opened.has(fold.id), colour: serviceColour(fold.first.span.service, scheme), onOpen };
}

function spanProps(node: SpanNode, props: WaterfallProps) {
  const { collapsed, selected, matches, critical, scheme, onSelect, onFold } = props;
  const { span_id, service } = node.span;
  return {
    node,
    folded: collapsed.has(span_id),
    selected: span_id === selected,
    match: matches === null ? null : matches.has(span_id),
    critical: critical.has(span_id),
    colour: serviceColour(service, scheme),
    onSelect,
    onFold,
  };
}

function Axis({ view }: { view: View }) {
  return (
    <div className={classes.axis} aria-hidden>
      <span className={classes.axisLabel}>Service and operation</span>
      <div className={classes.ticks}>
        {axisTicks(view.from, view.to).map((tick) => (
          <span key={tick} style={{ left: `${position(tick, view)}%` }}>
            {formatDuration(tick)}
          </span>
        ))}
      </div>
    </div>
  );
}

/** Whether a row is expanded; undefined if it has no children. */
function isOpen(row: WaterfallRow | undefined, { opened, collapsed }: WaterfallProps): boolean | undefined {
  if (row?.kind === 'fold') return opened.has(row.fold.id);
  return row === undefined || row.node.children.length === 0 ? undefined : !collapsed.has(row.node.span.span_id);
}

/** The index of the row to which a key moves; undefined for keys that do something else. */
function indexAfter(key: string, index: number, count: number, page: number): number | undefined {
  switch (key) {
    case 'ArrowDown':
      return Math.min(count - 1, index + 1);
    case 'ArrowUp':
      return Math.max(0, index - 1);
    case 'PageDown':
      return Math.min(count - 1, index + page);
    case 'PageUp':
      return Math.max(0, index - page);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}

/** The keys of a tree. `index` is the active row, -1 for none; `page` a number of rows; `go` makes a row active. */
function onTreeKey(
  event: KeyboardEvent<HTMLDivElement>,
  props: WaterfallProps,
  { index, page, go }: { index: number; page: number; go: (row: WaterfallRow | undefined) => void },
): void {
  const { rows, opened, onFold, onOpen, onLeave } = props;
  const current = rows[index];
  const open = isOpen(current, props);
  const toggle = (next: boolean) => {
    if (current?.kind === 'fold') onOpen(current.fold.id, next);
    else if (current) onFold(current.node.span.span_id, !next);
  };
  const target = indexAfter(event.key, index, rows.length, page);
  if (target !== undefined) go(rows[target]);
  else if (event.key === 'ArrowRight') {
    if (open === false) toggle(true);
    else if (open) go(rows[index + 1]);
  } else if (event.key === 'ArrowLeft') {
    if (open) toggle(false);
    else go(rows.slice(0, Math.max(0, index)).findLast((row) => row.depth < (current?.depth ?? 0)));
  } else if (event.key === 'Enter') {
    if (current?.kind === 'fold') toggle(!opened.has(current.fold.id));
  } else if (event.key === 'Escape') onLeave();
  else return;
  event.preventDefault();
}
