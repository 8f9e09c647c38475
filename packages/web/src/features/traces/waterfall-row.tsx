import { memo, type ReactNode } from 'react';
import { countOf, formatDuration } from '../../ui/format/index.ts';
import type { View } from './minimap.tsx';
import type { Fold } from './trace-folds.ts';
import { isError, type SpanNode } from './trace-tree.ts';
import classes from './waterfall.module.css';

const INDENT = 14;
/** Deeper levels are not indented further, so that names stay readable in very deep traces. */
const MAX_INDENT = 16;

/** The position of a time in the view, in percent of its width. */
export function position(time: number, view: View): number {
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

/** A row of the tree: the name of a span, and its bar. */
function TreeItem({
  id,
  top,
  depth,
  isSelected,
  isExpanded,
  match = null,
  bar,
  onClick,
  children,
}: Omit<Place, 'view'> & {
  isSelected: boolean;
  /** Undefined if there are no rows below it. */
  isExpanded: boolean | undefined;
  match?: boolean | null;
  bar: ReactNode;
  onClick: () => void;
  children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the focus and handles the keys
    <div
      id={id}
      className={classes.row}
      style={{ top }}
      role="treeitem"
      tabIndex={-1}
      aria-level={depth + 1}
      aria-selected={isSelected}
      aria-expanded={isExpanded}
      data-match={match === true || undefined}
      data-dimmed={match === false || undefined}
      onClick={onClick}
    >
      <div className={classes.name} style={{ paddingLeft: indentOf(depth) }}>
        {children}
      </div>
      {bar}
    </div>
  );
}

/** Equal spans that follow each other, as one row. */
export const FoldRow = memo(function FoldRow({
  view,
  fold,
  open,
  active,
  colour,
  onOpen,
  ...place
}: Place & {
  fold: Fold;
  open: boolean;
  active: boolean;
  colour: string;
  onOpen: (foldId: string, open: boolean) => void;
}) {
  const { span } = fold.first;
  return (
    <TreeItem
      {...place}
      isSelected={active}
      isExpanded={open}
      onClick={() => onOpen(fold.id, !open)}
      bar={
        <Bar
          offset={fold.first.offset}
          duration={fold.end - fold.first.offset}
          view={view}
          look={classes.folded}
          colour={colour}
          label={`${formatDuration(fold.total)} in total`}
        />
      }
    >
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
    </TreeItem>
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

export const Row = memo(function Row({
  node,
  view,
  folded,
  selected,
  critical,
  colour,
  onSelect,
  onFold,
  ...place
}: RowProps) {
  const { span } = node;
  const error = isError(span);
  return (
    <TreeItem
      {...place}
      isSelected={selected}
      isExpanded={node.children.length > 0 ? !folded : undefined}
      onClick={() => onSelect(span.span_id)}
      bar={
        <Bar
          offset={node.offset}
          duration={node.duration}
          view={view}
          look={`${critical ? classes.critical : ''} ${error ? classes.barError : ''}`}
          colour={colour}
          label={formatDuration(node.duration)}
        />
      }
    >
      <FoldButton node={node} folded={folded} onFold={onFold} />
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
      {error && <ErrorMark message={span.status_message} />}
      {folded && node.errorsBelow > 0 && <span className={classes.mark}>{node.errorsBelow} errors below</span>}
    </TreeItem>
  );
});

function ErrorMark({ message }: { message: string }) {
  return (
    <span className={classes.mark} title={message || 'error'}>
      <span aria-hidden>●</span>
      <span className="visually-hidden">error</span>
    </span>
  );
}

function FoldButton({ node, folded, onFold }: Pick<RowProps, 'node' | 'folded' | 'onFold'>) {
  if (node.children.length === 0) return <span className={classes.fold} />;
  return (
    <button
      type="button"
      className={classes.fold}
      tabIndex={-1}
      aria-hidden
      title={folded ? `${node.descendants} spans below` : undefined}
      onClick={(event) => {
        event.stopPropagation();
        onFold(node.span.span_id, !folded);
      }}
    >
      {folded ? '▸' : '▾'}
    </button>
  );
}

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
