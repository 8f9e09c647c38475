import { UnstyledButton } from '../../ui/mantine.ts';
import type { Prefix } from './metric-grid.ts';
import classes from './metrics.module.css';

/** The prefixes of metric names; a click keeps only the metrics below one. */
export function PrefixTree({
  tree,
  count,
  selected,
  onSelect,
}: {
  tree: readonly Prefix[];
  /** Of all metrics. */
  count: number;
  selected: string | undefined;
  onSelect: (prefix: string | undefined) => void;
}) {
  return (
    <nav className={classes.tree} aria-label="Prefixes of metrics">
      <Entry
        text="All metrics"
        count={count}
        isSelected={selected === undefined}
        onSelect={() => onSelect(undefined)}
      />
      <Level prefixes={tree} selected={selected} onSelect={onSelect} />
    </nav>
  );
}

function Level({
  prefixes,
  selected,
  onSelect,
}: {
  prefixes: readonly Prefix[];
  selected: string | undefined;
  onSelect: (prefix: string) => void;
}) {
  return (
    <ul>
      {prefixes.map(({ path, text, count, below }) => (
        <li key={path}>
          <Entry text={text} count={count} isSelected={path === selected} onSelect={() => onSelect(path)} />
          {below.length > 0 && <Level prefixes={below} selected={selected} onSelect={onSelect} />}
        </li>
      ))}
    </ul>
  );
}

function Entry({
  text,
  count,
  isSelected,
  onSelect,
}: {
  text: string;
  count: number;
  isSelected: boolean;
  onSelect: () => void;
}) {
  return (
    <UnstyledButton className={classes.prefix} aria-current={isSelected} onClick={onSelect}>
      <span className="truncate">{text}</span>
      <span className={classes.count}>{count}</span>
    </UnstyledButton>
  );
}
