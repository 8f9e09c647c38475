import { type RefObject, useEffect, useState } from 'react';

/** How wide or high an element is inside of its borders, in pixels. @param initial until it is known */
export function useClientSize(
  ref: RefObject<HTMLElement | null>,
  side: 'clientWidth' | 'clientHeight',
  initial: number,
): number {
  const [size, setSize] = useState(initial);
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setSize(element[side]));
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref, side]);
  return size;
}
