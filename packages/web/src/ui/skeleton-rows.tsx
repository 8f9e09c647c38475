import classes from './skeleton-rows.module.css';

/** Stands for a list that is loading, at the height of that many of its rows. */
export function SkeletonRows({ rows, label = 'Loading' }: { rows: number; label?: string }) {
  return (
    <div className={classes.rows} role="status" aria-label={label} style={{ height: `calc(${rows} * var(--f-row))` }}>
      {Array.from({ length: rows }, (_, index) => index).map((row) => (
        <span key={row} style={{ width: `${90 - ((row * 23) % 45)}%` }} />
      ))}
    </div>
  );
}
