import { useSyncExternalStore } from 'react';
import { currentZone, onZoneChange, type TimeZone } from '../format/zone.ts';

/** The zone in which times are written. A component that formats times itself must use it, to follow a change. */
export function useTimeZone(): TimeZone {
  return useSyncExternalStore(onZoneChange, currentZone);
}
