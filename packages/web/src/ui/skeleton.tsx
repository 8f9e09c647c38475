import classes from './skeleton.module.css';

/** Stands where content is loading, at the height that the content will have, so that nothing moves when it arrives. */
export function Skeleton({ height, label = 'Loading' }: { height: number | string; label?: string }) {
  return <div className={classes.skeleton} style={{ height }} role="status" aria-label={label} />;
}

/** The same for a table of `rows` rows below its header. */
export function TableSkeleton({ rows, label }: { rows: number; label?: string }) {
  return (
    <div
      className={classes.rows}
      style={{ height: (rows + 1) * ROW_HEIGHT }}
      role="status"
      aria-label={label ?? 'Loading'}
    />
  );
}

const ROW_HEIGHT = 32;
