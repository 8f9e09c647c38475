import { serviceColour } from '../ui/colours.ts';
import { useComputedColorScheme } from '../ui/mantine.ts';
import classes from './service-name.module.css';

/** A service's name with its color, the same on every page. */
export function ServiceName({ name, display }: { name: string; display?: string | null }) {
  const scheme = useComputedColorScheme();
  return (
    <span className={classes.name}>
      <span className={classes.swatch} style={{ background: serviceColour(name, scheme) }} />
      <span className="truncate">{display ?? name}</span>
      {display && <span className="dim">{name}</span>}
    </span>
  );
}
