import { type FocusEvent, type KeyboardEvent, useState } from 'react';

interface Roving {
  /** Props of the element around the controls. */
  readonly group: {
    onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
    onBlur: (event: FocusEvent<HTMLElement>) => void;
  };
  /** Props of one control. */
  readonly item: (key: string) => { tabIndex: 0 | -1; 'data-roving': true; onFocus: () => void };
}

/**
 * Makes one tab stop of a group of controls: the arrow keys, Home and End move within it.
 * @param keys of the controls, in their order
 * @param current the selected one, where the keyboard enters the group; without it, where it left the group
 */
export function useRoving(keys: readonly string[], axis: 'vertical' | 'horizontal', current?: string): Roving {
  const [focused, setFocused] = useState<string>();
  const stop = [focused, current, keys[0]].find((key) => key !== undefined && keys.includes(key));
  return {
    group: {
      onKeyDown(event) {
        const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-roving]')];
        const to = targetOf(
          event.key,
          axis,
          items.findIndex((item) => item === event.target),
          items.length,
        );
        if (to === undefined) return;
        event.preventDefault();
        items[to]?.focus();
      },
      onBlur(event) {
        const isLeaving = !event.currentTarget.contains(event.relatedTarget);
        if (current !== undefined && isLeaving) setFocused(undefined);
      },
    },
    item: (key) => ({ tabIndex: key === stop ? 0 : -1, 'data-roving': true, onFocus: () => setFocused(key) }),
  };
}

const KEYS = {
  vertical: { next: 'ArrowDown', previous: 'ArrowUp' },
  horizontal: { next: 'ArrowRight', previous: 'ArrowLeft' },
} as const;

/** Where a key moves the focus among `count` controls; undefined if it does not. The last one is followed by the first. */
export function targetOf(
  key: string,
  axis: 'vertical' | 'horizontal',
  from: number,
  count: number,
): number | undefined {
  if (from < 0 || count === 0) return undefined;
  if (key === KEYS[axis].next) return (from + 1) % count;
  if (key === KEYS[axis].previous) return (from - 1 + count) % count;
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  return undefined;
}
