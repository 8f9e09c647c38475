import { useRef, useState } from 'react';
import { Timestamp } from '../ui/timestamp.tsx';
import { useVirtualRows } from '../ui/virtual-rows.ts';
import type { Result } from './oql.ts';
import { type RecordView, recordEntries, WithRecord } from './record-panel.tsx';
import classes from './result-list.module.css';
import { plainText } from './results.ts';

const ROW = 56;

/** The rows of a query as a list, two lines each; a click opens a row in full. */
export function ResultList({ result, label, view = {} }: { result: Result; label: string; view?: RecordView }) {
  const scroller = useRef<HTMLDivElement>(null);
  const [opened, setOpened] = useState<Result['rows'][number] | null>(null);
  const move = (by: 1 | -1) => {
    const next = opened === null ? undefined : result.rows[result.rows.indexOf(opened) + by];
    if (next !== undefined) setOpened(next);
  };
  const { start, end, before, after } = useVirtualRows(scroller, result.rows.length, ROW);
  const time = result.columns.findIndex(({ type }) => type === 'timestamp');
  return (
    <WithRecord columns={result.columns} cells={opened} onClose={() => setOpened(null)} onMove={move} view={view}>
      <div ref={scroller} className={classes.scroll}>
        <ol className={classes.list} aria-label={label} style={{ paddingTop: before, paddingBottom: after }}>
          {result.rows.slice(start, end).map((cells, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two rows may be identical
            <li key={start + index}>
              <button type="button" className={classes.row} onClick={() => setOpened(cells)}>
                {time !== -1 && (
                  <span className={classes.time}>
                    <Timestamp value={plainText(cells[time])} milliseconds />
                  </span>
                )}
                <span className={classes.text}>
                  {recordEntries(result.columns, cells)
                    .filter(([name, value]) => name !== result.columns[time]?.name && value !== '' && value !== '–')
                    .map(([name, value]) => (
                      <span key={name}>
                        <span className={classes.name}>{name}</span>={value}{' '}
                      </span>
                    ))}
                </span>
              </button>
            </li>
          ))}
        </ol>
      </div>
    </WithRecord>
  );
}
