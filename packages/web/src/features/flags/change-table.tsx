import type { Change } from './diff.ts';
import classes from './flags.module.css';

/** Differences as a table: field, old value, new value. */
export function ChangeTable({ label, changes }: { label: string; changes: readonly Change[] }) {
  if (changes.length === 0) return <p className="dim">No differences.</p>;
  return (
    <table className={classes.changes} aria-label={label}>
      <tbody>
        {changes.map(({ what, before, after }) => (
          <tr key={`${what}-${before}-${after}`}>
            <th scope="row">{what}</th>
            <td>
              {before !== null && (
                <span className={classes.removed}>
                  <span className="visually-hidden">before: </span>
                  {before}
                </span>
              )}
              {after !== null && (
                <span className={classes.added}>
                  <span className="visually-hidden">after: </span>
                  {after}
                </span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
