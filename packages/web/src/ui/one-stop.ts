import { type RefCallback, useCallback } from 'react';
import { targetOf } from './roving.ts';

/** Buttons, links and selects. Fields that take text keep their own stop, because they need the arrow keys. */
const CONTROLS = 'a[href], button:not(:disabled), input[readonly]:not(:disabled)';

/**
 * Makes one tab stop of the controls in an element, whatever renders them: the left and right arrow keys, Home and End move between
 * them. `useRoving` does the same for a list of known keys.
 */
export function useOneStop<T extends HTMLElement>(): RefCallback<T> {
  return useCallback((element: T | null) => (element === null ? undefined : joinStops(element)), []);
}

function joinStops(element: HTMLElement): () => void {
  let last: HTMLElement | undefined;
  const controls = () =>
    [...element.querySelectorAll<HTMLElement>(CONTROLS)].filter(
      (one) => one.tabIndex >= 0 || one.dataset.joined === '',
    );
  const update = () => {
    const found = controls();
    const stop = last !== undefined && found.includes(last) ? last : found[0];
    for (const one of found) {
      one.dataset.joined = '';
      one.tabIndex = one === stop ? 0 : -1;
    }
  };
  const onFocus = ({ target }: FocusEvent) => {
    if (!(target instanceof HTMLElement) || target.dataset.joined !== '') return;
    last = target;
    update();
  };
  const onKey = (event: KeyboardEvent) => {
    const found = controls();
    const from = event.target instanceof HTMLElement ? found.indexOf(event.target) : -1;
    const to = targetOf(event.key, 'horizontal', from, found.length);
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    event.preventDefault();
    found[to]?.focus();
  };
  update();
  const observer = new MutationObserver(update);
  observer.observe(element, { childList: true, subtree: true, attributeFilter: ['disabled', 'href'] });
  element.addEventListener('focusin', onFocus);
  element.addEventListener('keydown', onKey);
  return () => {
    observer.disconnect();
    element.removeEventListener('focusin', onFocus);
    element.removeEventListener('keydown', onKey);
  };
}
