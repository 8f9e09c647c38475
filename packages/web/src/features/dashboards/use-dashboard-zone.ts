import { useEffect } from 'react';
import { currentZone, setZone } from '../../ui/format/zone.ts';

/** Shows times in the zone of a dashboard while it is open; `browser`: in the zone that the user chose. */
export function useDashboardZone(zone: string): void {
  useEffect(() => {
    if (zone === 'browser') return;
    const chosen = currentZone();
    setZone(zone);
    return () => setZone(chosen);
  }, [zone]);
}
