import { type RefObject, useEffect, useState } from 'react';

export interface RowWindow {
  /** First row to draw. */
  start: number;
  /** One past the last row to draw. */
  end: number;
  /** Height in pixels of what is left out above and below. */
  before: number;
  after: number;
}

/** The rows of a list of equal heights that a viewport shows, with a few more on either side. Pixels. */
export function visibleRows(
  count: number,
  rowHeight: number,
  scrollTop: number,
  viewportHeight: number,
  overscan = 8,
): RowWindow {
  const first = Math.floor(Math.max(0, scrollTop) / rowHeight);
  const start = Math.max(0, Math.min(count, first - overscan));
  const end = Math.max(
    start,
    Math.min(count, Math.ceil((Math.max(0, scrollTop) + viewportHeight) / rowHeight) + overscan),
  );
  return { start, end, before: start * rowHeight, after: (count - end) * rowHeight };
}

/** Follows the scroll position of an element and gives the rows to draw; `headerHeight` is what stands above row 0. */
export function useVirtualRows(
  element: RefObject<HTMLElement | null>,
  count: number,
  rowHeight: number,
  headerHeight = 0,
): RowWindow {
  const [view, setView] = useState({ top: 0, height: 800 });
  useEffect(() => {
    const target = element.current;
    if (!target) return;
    // Steps of half a dozen rows: scrolling inside the overscan renders nothing.
    const step = rowHeight * 4;
    const read = () => {
      const top = Math.floor(target.scrollTop / step) * step;
      setView((old) =>
        old.top === top && old.height === target.clientHeight ? old : { top, height: target.clientHeight },
      );
    };
    read();
    target.addEventListener('scroll', read, { passive: true });
    const observer = new ResizeObserver(read);
    observer.observe(target);
    return () => {
      target.removeEventListener('scroll', read);
      observer.disconnect();
    };
  }, [element, rowHeight]);
  return visibleRows(count, rowHeight, view.top - headerHeight, view.height + rowHeight * 4);
}
