import { useTimeRange } from '../app/time-range.ts';
import { Button } from '../ui/mantine.ts';
import { resolveRange } from '../ui/time/time-range.ts';

const DAY = { from: 'now-24h', to: 'now' };
const DAY_MS = 86_400_000;

/** The next step for an empty window: shows the last day, unless the window is already that wide. */
export function WidenRange() {
  const { range, setRange } = useTimeRange();
  const window = resolveRange(range, Date.now());
  if (window && window.to - window.from >= DAY_MS) return null;
  return (
    <Button variant="default" onClick={() => setRange(DAY)}>
      Show the last 24 hours
    </Button>
  );
}
