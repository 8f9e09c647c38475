import { useCallback, useSyncExternalStore } from 'react';
import { useMe } from './session.ts';

/** What people need at once: whether something is wrong, since when, and what changed. */
const DEFAULT_PINS = ['home', 'logs', 'alerts', 'flags'];

/** A page in the list of pins, independent of workspace and project: the end of its path. */
export function pinOf(to: string): string {
  return to.slice(to.lastIndexOf('/') + 1);
}

/** Reads stored pins; text that was not written by `togglePin` means the default ones. */
export function readPins(stored: string | null): readonly string[] {
  if (stored === null) return DEFAULT_PINS;
  try {
    const pins: unknown = JSON.parse(stored);
    return Array.isArray(pins) && pins.every((pin) => typeof pin === 'string') ? pins : DEFAULT_PINS;
  } catch {
    return DEFAULT_PINS;
  }
}

/** A page that is pinned goes to the end. */
export function togglePin(pins: readonly string[], pin: string): readonly string[] {
  return pins.includes(pin) ? pins.filter((one) => one !== pin) : [...pins, pin];
}

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // Other tabs.
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

/** The pages that the account has pinned in this browser, and the function that pins or unpins one. */
export function usePins(): { pins: readonly string[]; toggle: (pin: string) => void } {
  const { user } = useMe();
  const key = `fanion-pins-${user.id}`;
  const stored = useSyncExternalStore(subscribe, () => recall(key));
  const toggle = useCallback(
    (pin: string) => {
      remember(key, JSON.stringify(togglePin(readPins(recall(key)), pin)));
      for (const listener of listeners) listener();
    },
    [key],
  );
  return { pins: readPins(stored), toggle };
}

function recall(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function remember(key: string, pins: string): void {
  try {
    localStorage.setItem(key, pins);
  } catch {
    // Storage may be unavailable; then the default pins stay.
  }
}
