import { type KeyboardEvent, memo, useEffect, useId, useRef, useState } from 'react';
import { type ColourScheme, serviceColour } from '../../ui/colours.ts';
import { countOf, formatDuration } from '../../ui/format/index.ts';
import { useMediaQuery } from '../../ui/mantine.ts';
import { PHONE } from '../../ui/screen.ts';
import { useVirtualRows } from '../../ui/virtual-rows.ts';
import type { View } from './minimap.tsx';
import type { Fold, WaterfallRow } from './trace-folds.ts';
import { axisTicks, isError, type SpanNode } from './trace-tree.ts';
import classes from './waterfall.module.css';

/** In pixels, as in the style sheet. On phones the name stands above the bar. */
const ROW = 28;
const PHONE_ROW = 48;
const INDENT = 14;
/** Deeper levels are not indented further, so that names stay readable in very deep traces. */
const MAX_INDENT = 16;

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

/** The spans of a trace as a tree of bars over time. Only visible rows are in the document. */
export function Waterfall(props: WaterfallProps) {
  const { rows, view, collapsed, opened, selected, matches, critical, scheme } = props;
  const { onSelect, onFold, onOpen, onLeave } = props;
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const rowHeight = useMediaQuery(PHONE, false, { getInitialValueInEffect: false }) ? PHONE_ROW : ROW;
  const { start, end } = useVirtualRows(scroller, rows.length, rowHeight);
  // A fold has the keyboard's attention without being a selected span.
  const [attention, setAttention] = useState<{ fold: string; selected: string | undefined } | null>(null);
  // A new selection takes the attention back.
  const activeFold = attention?.selected === selected ? (attention?.fold ?? null) : null;
  const index = rows.findIndex((row) =>
    activeFold === null
      ? row.kind === 'span' && row.node.span.span_id === selected
      : row.kind === 'fold' && row.fold.id === activeFold,
  );

  // Only a new selection scrolls; collapsing and searching keep the position.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    if (index !== -1) scrollIntoView(scroller.current, index, rowHeight);
  }, [selected, activeFold]);

  /** Whether the rows below a row are shown; undefined if there are none. */
  const isOpen = (row: WaterfallRow | undefined): boolean | undefined => {
    if (row?.kind === 'fold') return opened.has(row.fold.id);
    return row === undefined || row.node.children.length === 0 ? undefined : !collapsed.has(row.node.span.span_id);
  };
  const toggle = (row: WaterfallRow | undefined, open: boolean) => {
    if (row?.kind === 'fold') onOpen(row.fold.id, open);
    else if (row) onFold(row.node.span.span_id, !open);
  };

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const current = rows[index];
    const go = (row: WaterfallRow | undefined) => {
      if (row?.kind === 'fold') setAttention({ fold: row.fold.id, selected });
      else if (row) {
        setAttention(null);
        onSelect(row.node.span.span_id);
      }
    };
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 280) / rowHeight) - 1);
    switch (event.key) {
      case 'ArrowDown':
        go(rows[Math.min(rows.length - 1, index + 1)]);
        break;
      case 'ArrowUp':
        go(rows[Math.max(0, index - 1)]);
        break;
      case 'PageDown':
        go(rows[Math.min(rows.length - 1, index + page)]);
        break;
      case 'PageUp':
        go(rows[Math.max(0, index - page)]);
        break;
      case 'Home':
        go(rows[0]);
        break;
      case 'End':
        go(rows.at(-1));
        break;
      case 'ArrowRight':
        if (isOpen(current) === false) toggle(current, true);
        else if (isOpen(current)) go(rows[index + 1]);
        break;
      case 'ArrowLeft':
        if (isOpen(current)) toggle(current, false);
        else go(rows.slice(0, Math.max(0, index)).findLast((row) => row.depth < (current?.depth ?? 0)));
        break;
      case 'Enter':
        if (current?.kind === 'fold') toggle(current, !opened.has(current.fold.id));
        break;
      case 'Escape':
        onLeave();
        break;
      default:
        return;
    }
    event.preventDefault();
  };

  return (
    <>
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
            const place = {
              id: `${id}-${start + offset}`,
              top: (start + offset) * rowHeight,
              depth: row.depth,
              view,
            };
            if (row.kind === 'fold') {
              return (
                <FoldRow
                  key={row.fold.id}
                  {...place}
                  fold={row.fold}
                  open={opened.has(row.fold.id)}
                  active={row.fold.id === activeFold}
                  colour={serviceColour(row.fold.first.span.service, scheme)}
                  onOpen={onOpen}
                />
              );
            }
            const spanId = row.node.span.span_id;
            return (
              <Row
                // biome-ignore lint/suspicious/noArrayIndexKey: broken traces contain duplicate span ids
                key={`${spanId}-${start + offset}`}
                {...place}
                node={row.node}
                folded={collapsed.has(spanId)}
                selected={spanId === selected}
                match={matches === null ? null : matches.has(spanId)}
                critical={critical.has(spanId)}
                colour={serviceColour(row.node.span.service, scheme)}
                onSelect={onSelect}
                onFold={onFold}
              />
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

/** The position of a time in the view, in percent of its width. */
function position(time: number, view: View): number {
  return ((time - view.from) / (view.to - view.from)) * 100;
}

interface Place {
  id: string;
  top: number;
  depth: number;
  view: View;
}

function indentOf(depth: number): number {
  return 8 + Math.min(depth, MAX_INDENT) * INDENT;
}

const FoldRow = memo(function FoldRow({
  id,
  top,
  depth,
  view,
  fold,
  open,
  active,
  colour,
  onOpen,
}: Place & {
  fold: Fold;
  open: boolean;
  active: boolean;
  colour: string;
  onOpen: (foldId: string, open: boolean) => void;
}) {
  const { span } = fold.first;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the focus and handles the keys
    <div
      id={id}
      className={classes.row}
      style={{ top }}
      role="treeitem"
      tabIndex={-1}
      aria-level={depth + 1}
      aria-selected={active}
      aria-expanded={open}
      onClick={() => onOpen(fold.id, !open)}
    >
      <div className={classes.name} style={{ paddingLeft: indentOf(depth) }}>
        <span className={classes.fold} aria-hidden>
          {open ? '▾' : '▸'}
        </span>
        <span className={classes.stripe} style={{ background: colour }} />
        <span className={classes.times}>
          {fold.nodes.length}
          <span aria-hidden>×</span>
          <span className="visually-hidden">times</span>
        </span>
        <span className={classes.service}>{span.service}</span>
        <span className={classes.operation} title={span.name}>
          {span.name}
        </span>
        {fold.errors > 0 && <span className={classes.mark}>{countOf(fold.errors, 'error')}</span>}
      </div>
      <Bar
        offset={fold.first.offset}
        duration={fold.end - fold.first.offset}
        view={view}
        look={classes.folded}
        colour={colour}
        label={`${formatDuration(fold.total)} in total`}
      />
    </div>
  );
});

interface RowProps extends Place {
  node: SpanNode;
  folded: boolean;
  selected: boolean;
  match: boolean | null;
  critical: boolean;
  colour: string;
  onSelect: (spanId: string) => void;
  onFold: (spanId: string, fold: boolean) => void;
}

const Row = memo(function Row({
  id,
  node,
  top,
  depth,
  view,
  folded,
  selected,
  match,
  critical,
  colour,
  onSelect,
  onFold,
}: RowProps) {
  const { span } = node;
  const error = isError(span);
  const hasChildren = node.children.length > 0;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the focus and handles the keys
    <div
      id={id}
      className={classes.row}
      style={{ top }}
      role="treeitem"
      tabIndex={-1}
      aria-level={depth + 1}
      aria-selected={selected}
      aria-expanded={hasChildren ? !folded : undefined}
      data-match={match === true || undefined}
      data-dimmed={match === false || undefined}
      onClick={() => onSelect(span.span_id)}
    >
      <div className={classes.name} style={{ paddingLeft: indentOf(depth) }}>
        {hasChildren ? (
          <button
            type="button"
            className={classes.fold}
            tabIndex={-1}
            aria-hidden
            title={folded ? `${node.descendants} spans below` : undefined}
            onClick={(event) => {
              event.stopPropagation();
              onFold(span.span_id, !folded);
            }}
          >
            {folded ? '▸' : '▾'}
          </button>
        ) : (
          <span className={classes.fold} />
        )}
        <span className={classes.stripe} style={{ background: colour }} />
        {span.missing_parent && (
          <span className={classes.missing} title={`Its parent ${span.parent_span_id} has not arrived`}>
            parent missing
          </span>
        )}
        <span className={classes.service}>{span.service}</span>
        <span className={`${classes.operation} ${error ? classes.error : ''}`} title={span.name}>
          {span.name}
        </span>
        {error && (
          <span className={classes.mark} title={span.status_message || 'error'}>
            <span aria-hidden>●</span>
            <span className="visually-hidden">error</span>
          </span>
        )}
        {folded && node.errorsBelow > 0 && <span className={classes.mark}>{node.errorsBelow} errors below</span>}
      </div>
      <Bar
        offset={node.offset}
        duration={node.duration}
        view={view}
        look={`${critical ? classes.critical : ''} ${error ? classes.barError : ''}`}
        colour={colour}
        label={formatDuration(node.duration)}
      />
    </div>
  );
});

/** A bar at its place in time; nothing if it is outside the view. */
function Bar({
  offset,
  duration,
  view,
  look,
  colour,
  label,
}: {
  offset: number;
  duration: number;
  view: View;
  look: string | undefined;
  colour: string;
  label: string;
}) {
  const left = position(offset, view);
  const width = (duration / (view.to - view.from)) * 100;
  const barStart = Math.min(100, Math.max(0, left));
  const barEnd = Math.min(100, Math.max(0, left + width));
  // The label is placed where it fits: after the bar, else before it, else inside it.
  const place = barEnd <= 82 ? 'behind' : barStart > 18 ? 'before' : 'inside';
  return (
    <div className={classes.timeline}>
      {(barEnd > 0 || left >= 0) && left <= 100 && (
        <>
          <span
            className={`${classes.bar} ${look}`}
            style={{ left: `${barStart}%`, width: `${Math.max(0, barEnd - barStart)}%`, background: colour }}
          />
          <span
            className={classes.duration}
            data-place={place}
            style={
              place === 'behind'
                ? { left: `${barEnd}%` }
                : { right: `${100 - (place === 'before' ? barStart : barEnd)}%` }
            }
          >
            {label}
          </span>
        </>
      )}
    </div>
  );
}
