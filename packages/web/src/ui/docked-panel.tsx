import { IconChevronDown, IconChevronUp, IconX } from '@tabler/icons-react';
import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import classes from './docked-panel.module.css';
import { keepWidth, keptWidth, LEAST_WIDTH, limitWidth, MOST_WIDTH, widthByKey } from './docked-width.ts';
import { ActionIcon } from './mantine.ts';

/**
 * A list with a panel docked beside it, which shows one of its rows. The panel is not modal: the list stays usable. On a
 * phone, where there is no room beside the list, it covers the lower part of the screen.
 */
export function Docked({ panel, children }: { panel: ReactNode; children: ReactNode }) {
  return (
    <div className={classes.docked} data-docked>
      <div className={classes.list}>{children}</div>
      {panel}
    </div>
  );
}

/**
 * The docked panel: 420 px wide, resizable by its edge, whose width is remembered. Escape closes it and returns the focus to the
 * selected row; with `onMove`, the arrow keys and two buttons move on to the next or previous row.
 */
export function DockedPanel({
  title,
  label = title,
  flush = false,
  onClose,
  onMove,
  children,
}: {
  title: string;
  /** Names the panel for screen readers, unless its title does. */
  label?: string;
  /** Fills the height of what it is docked to, without a frame. */
  flush?: boolean;
  onClose: () => void;
  /** Shows the next (1) or the previous (-1) row of the list. */
  onMove?: (by: 1 | -1) => void;
  children: ReactNode;
}) {
  const element = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(keptWidth);
  const [top, setTop] = useState(0);
  const close = () => {
    element.current?.closest('[data-docked]')?.querySelector<HTMLElement>(SELECTED)?.focus();
    onClose();
  };
  // The panel ends with the window, wherever the page places it.
  useLayoutEffect(() => setTop(Math.max(0, element.current?.getBoundingClientRect().top ?? 0)), []);
  useKeys(element, close, onMove);
  const resize = (next: number) => {
    setWidth(limitWidth(next));
    keepWidth(limitWidth(next));
  };
  return (
    <aside
      ref={element}
      className={classes.panel}
      aria-label={label}
      data-flush={flush || undefined}
      style={{ '--dock-width': `${width}px`, '--dock-top': `${top}px` } as React.CSSProperties}
    >
      <Edge width={width} onResize={resize} />
      <header className={classes.head}>
        <h2 className="truncate" title={title}>
          {title}
        </h2>
        {onMove && <MoveButtons onMove={onMove} />}
        <ActionIcon aria-label="Close" title="Close (Esc)" onClick={close}>
          <IconX size={16} />
        </ActionIcon>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls is reachable by keyboard */}
      <section className={classes.body} tabIndex={0} aria-label={`${label}: details`}>
        {children}
      </section>
    </aside>
  );
}

/** Escape closes the panel, and the arrow keys move on, unless something else uses these keys. */
function useKeys(
  element: RefObject<HTMLElement | null>,
  close: () => void,
  onMove: ((by: 1 | -1) => void) | undefined,
): void {
  const act = useRef({ close, onMove });
  act.current = { close, onMove };
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : undefined;
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key !== 'Escape' && by === undefined) return;
      if (event.target instanceof Element && event.target.closest(by === undefined ? OWN_ESCAPE : OWN_ARROWS)) return;
      if (by === undefined) act.current.close();
      else if (act.current.onMove && !isInList(event.target, element.current)) {
        event.preventDefault();
        act.current.onMove(by);
      }
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [element]);
}

function MoveButtons({ onMove }: { onMove: (by: 1 | -1) => void }) {
  return (
    <>
      <ActionIcon aria-label="Previous row" title="Previous row (↑)" onClick={() => onMove(-1)}>
        <IconChevronUp size={16} />
      </ActionIcon>
      <ActionIcon aria-label="Next row" title="Next row (↓)" onClick={() => onMove(1)}>
        <IconChevronDown size={16} />
      </ActionIcon>
    </>
  );
}

/** The row that the panel shows, or the tree that it is in. */
const SELECTED = 'tr[data-selected], [role="tree"]';

/** Elements that use Escape themselves. */
const OWN_ESCAPE =
  'input, textarea, select, [contenteditable="true"], [role="dialog"], [role="menu"], [role="listbox"]';
/** Elements that use the arrow keys themselves. */
const OWN_ARROWS = `${OWN_ESCAPE}, [role="tab"], [role="separator"], [role="tree"], [role="radiogroup"]`;

/** Rows of the list answer arrow keys themselves. */
function isInList(target: EventTarget | null, panel: HTMLElement | null): boolean {
  return target instanceof Element && target.closest('tr') !== null && panel?.contains(target) !== true;
}

/** The left edge: dragging or the arrow keys change the width. */
function Edge({ width, onResize }: { width: number; onResize: (width: number) => void }) {
  const from = useRef<{ x: number; width: number } | null>(null);
  return (
    // biome-ignore lint/a11y/useSemanticElements: an <hr> cannot be dragged
    <div
      className={classes.edge}
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the panel"
      aria-valuenow={width}
      aria-valuemin={LEAST_WIDTH}
      aria-valuemax={MOST_WIDTH}
      tabIndex={0}
      onPointerDown={(event: PointerEvent<HTMLDivElement>) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        from.current = { x: event.clientX, width };
      }}
      onPointerMove={(event: PointerEvent<HTMLDivElement>) => {
        if (from.current) onResize(from.current.width + from.current.x - event.clientX);
      }}
      onPointerUp={() => {
        from.current = null;
      }}
      onKeyDown={(event: KeyboardEvent<HTMLDivElement>) => {
        const next = widthByKey(event.key, width);
        if (next === undefined) return;
        event.preventDefault();
        onResize(next);
      }}
    />
  );
}
