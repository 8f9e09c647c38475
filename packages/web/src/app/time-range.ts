import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { absoluteRange, DEFAULT_RANGE, rangeFromSearch, type TimeRange } from '../ui/time/time-range.ts';

/** The page's time range, kept in the URL, and its setter. */
export function useTimeRange(): {
  range: TimeRange;
  setRange: (range: TimeRange) => void;
  zoomTo: (from: number, to: number) => void;
} {
  const { from, to } = useSearch({ from: '/w/$ws/$project' });
  const navigate = useNavigate();
  const range = useMemo(() => rangeFromSearch({ from, to }), [from, to]);
  const setRange = useCallback(
    (next: TimeRange) => {
      const isDefault = next.from === DEFAULT_RANGE.from && next.to === DEFAULT_RANGE.to;
      void navigate({
        to: '.',
        search: (old) => ({
          ...old,
          from: isDefault ? undefined : next.from,
          to: isDefault || next.to === 'now' ? undefined : next.to,
        }),
      });
    },
    [navigate],
  );
  const zoomTo = useCallback((start: number, end: number) => setRange(absoluteRange(start, end)), [setRange]);
  return { range, setRange, zoomTo };
}

/** The key of the page's environment; undefined for all. */
export function useEnvironment(): string | undefined {
  return useSearch({ from: '/w/$ws/$project' }).env;
}
