import { type KeyboardEvent, memo, useEffect, useId, useRef } from 'react';
import { type ColourScheme, serviceColour } from '../../ui/colours.ts';
import { formatDuration } from '../../ui/format/index.ts';
import { useVirtualRows } from '../../ui/virtual-rows.ts';
import type { View } from './minimap.tsx';
import { axisTicks, isError, type SpanNode } from './trace-tree.ts';
import classes from './waterfall.module.css';

const ROW = 28;
const INDENT = 14;
/** Deeper levels are not indented further, so that names stay readable in very deep traces. */
const MAX_INDENT = 16;

export interface WaterfallProps {
  rows: readonly SpanNode[];
  view: View;
  collapsed: ReadonlySet<string>;
  selected: string | undefined;
  /** Ids of spans that the search found; null without a search. */
  matches: ReadonlySet<string> | null;
  critical: ReadonlySet<string>;
  scheme: ColourScheme;
  onSelect: (spanId: string) => void;
  onFold: (spanId: string, fold: boolean) => void;
  /** Escape was pressed. */
  onLeave: () => void;
}

/** The spans of a trace as a tree of bars over time. Only visible rows are in the document. */
export function Waterfall(props: WaterfallProps) {
  const { rows, view, collapsed, selected, matches, critical, scheme, onSelect, onFold, onLeave } = props;
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const { start, end } = useVirtualRows(scroller, rows.length, ROW);
  const index = rows.findIndex((node) => node.span.span_id === selected);

  // Only a new selection scrolls; collapsing and searching keep the position.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    if (index !== -1) scrollIntoView(scroller.current, index);
  }, [selected]);

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const current = rows[index];
    const go = (node: SpanNode | undefined) => node && onSelect(node.span.span_id);
    const id = current?.span.span_id ?? '';
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 280) / ROW) - 1);
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
        if (current && collapsed.has(id)) onFold(id, false);
        else go(current?.children[0]);
        break;
      case 'ArrowLeft':
        if (current && current.children.length > 0 && !collapsed.has(id)) onFold(id, true);
        else go(current?.parent ?? undefined);
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
        <div className={classes.canvas} style={{ height: rows.length * ROW }} role="presentation">
          {rows.slice(start, end).map((node, offset) => {
            const spanId = node.span.span_id;
            return (
              <Row
                // biome-ignore lint/suspicious/noArrayIndexKey: broken traces contain duplicate span ids
                key={`${spanId}-${start + offset}`}
                id={`${id}-${start + offset}`}
                node={node}
                top={(start + offset) * ROW}
                view={view}
                folded={collapsed.has(spanId)}
                selected={spanId === selected}
                match={matches === null ? null : matches.has(spanId)}
                critical={critical.has(spanId)}
                colour={serviceColour(node.span.service, scheme)}
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

function scrollIntoView(scroller: HTMLElement | null, index: number): void {
  if (!scroller) return;
  const top = index * ROW;
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  else if (top + ROW > scroller.scrollTop + scroller.clientHeight)
    scroller.scrollTop = top + ROW - scroller.clientHeight;
}

/** The position of a time in the view, in percent of its width. */
function position(time: number, view: View): number {
  return ((time - view.from) / (view.to - view.from)) * 100;
}

interface RowProps {
  id: string;
  node: SpanNode;
  top: number;
  view: View;
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
  const left = position(node.offset, view);
  const width = (node.duration / (view.to - view.from)) * 100;
  const barStart = Math.min(100, Math.max(0, left));
  const barEnd = Math.min(100, Math.max(0, left + width));
  // The label is placed where it fits: after the bar, else before it, else inside it.
  const place = barEnd <= 82 ? 'behind' : barStart > 18 ? 'before' : 'inside';
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the focus and handles the keys
    <div
      id={id}
      className={classes.row}
      style={{ top }}
      role="treeitem"
      tabIndex={-1}
      aria-level={node.depth + 1}
      aria-selected={selected}
      aria-expanded={hasChildren ? !folded : undefined}
      data-match={match === true || undefined}
      data-dimmed={match === false || undefined}
      onClick={() => onSelect(span.span_id)}
    >
      <div className={classes.name} style={{ paddingLeft: 8 + Math.min(node.depth, MAX_INDENT) * INDENT }}>
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
      <div className={classes.timeline}>
        {barEnd >= 0 && barStart <= 100 && (barEnd > 0 || left >= 0) && left <= 100 && (
          <>
            <span
              className={`${classes.bar} ${critical ? classes.critical : ''} ${error ? classes.barError : ''}`}
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
              {formatDuration(node.duration)}
            </span>
          </>
        )}
      </div>
    </div>
  );
});
