import { IconArrowBackUp, IconSearch, IconX } from '@tabler/icons-react';
import { useMemo, useRef, useState } from 'react';
import { countOf, formatExact } from '../../ui/format/index.ts';
import { ActionIcon, Button, Textarea, TextInput } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { useVirtualRows } from '../../ui/virtual-rows.ts';
import { addKeys, type KeyChanges, readKeys, toggleKey } from './key-changes.ts';
import classes from './segments.module.css';

const ROW_HEIGHT = 28;

/** A list of up to a million keys, with search, adding by paste, and removal of single keys. */
export function KeysEditor({
  title,
  empty,
  keys,
  changes,
  disabled,
  onChange,
}: {
  title: string;
  empty: string;
  keys: readonly string[];
  changes: KeyChanges;
  disabled: boolean;
  onChange: (changes: KeyChanges) => void;
}) {
  const [search, setSearch] = useState('');
  const had = useMemo(() => new Set(keys), [keys]);
  // The server returns keys in storage order, so they are sorted here.
  const sorted = useMemo(() => keys.toSorted(), [keys]);
  const rows = useMemo(() => {
    const all = [...changes.added, ...sorted];
    return search === '' ? all : all.filter((key) => key.includes(search));
  }, [changes.added, sorted, search]);
  const count = keys.length + changes.added.size - changes.removed.size;
  return (
    <Panel title={title} actions={<span className="dim">{countOf(count, 'key')}</span>}>
      <div className={classes.flow}>
        {!disabled && <AddKeys title={title} onAdd={(added) => onChange(addKeys(had, changes, added))} />}
        {keys.length + changes.added.size === 0 ? (
          <p className="dim">{empty}</p>
        ) : (
          <>
            {keys.length > 10 && (
              <TextInput
                aria-label={`${title}: search`}
                placeholder="Search keys"
                leftSection={<IconSearch size={14} />}
                value={search}
                onChange={(event) => setSearch(event.currentTarget.value)}
              />
            )}
            <KeyList
              title={title}
              rows={rows}
              changes={changes}
              disabled={disabled}
              onToggle={(key) => onChange(toggleKey(had, changes, key))}
            />
          </>
        )}
      </div>
    </Panel>
  );
}

function AddKeys({ title, onAdd }: { title: string; onAdd: (keys: ReturnType<typeof readKeys>) => void }) {
  const [text, setText] = useState('');
  const pasted = readKeys(text);
  const add = () => {
    onAdd(pasted);
    setText('');
  };
  return (
    <div className={classes.keyTools}>
      <Textarea
        aria-label={`${title}: keys to add`}
        placeholder="Paste keys, one per line"
        minRows={1}
        maxRows={6}
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button variant="default" disabled={pasted.length === 0} onClick={add}>
        Add {pasted.length > 1 ? `${formatExact(pasted.length)} keys` : 'key'}
      </Button>
    </div>
  );
}

function KeyList({
  title,
  rows,
  changes,
  disabled,
  onToggle,
}: {
  title: string;
  rows: readonly string[];
  changes: KeyChanges;
  disabled: boolean;
  onToggle: (key: string) => void;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const { start, end, before, after } = useVirtualRows(scroller, rows.length, ROW_HEIGHT);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a list inside a panel of the same name is not a landmark
    <div role="group" className={classes.keys} ref={scroller} tabIndex={0} aria-label={title}>
      <div style={{ height: before }} />
      {rows.slice(start, end).map((key) => {
        const removed = changes.removed.has(key);
        return (
          <div
            className={classes.keyRow}
            key={key}
            data-change={removed ? 'removed' : changes.added.has(key) ? 'added' : undefined}
          >
            <span className="mono truncate">{key}</span>
            {!disabled && (
              <ActionIcon
                size="xs"
                aria-label={removed ? `Keep ${key}` : `Remove ${key}`}
                onClick={() => onToggle(key)}
              >
                {removed ? <IconArrowBackUp size={14} /> : <IconX size={14} />}
              </ActionIcon>
            )}
          </div>
        );
      })}
      <div style={{ height: after }} />
      {rows.length === 0 && <p className={`${classes.keyRow} dim`}>No key contains this text.</p>}
    </div>
  );
}
