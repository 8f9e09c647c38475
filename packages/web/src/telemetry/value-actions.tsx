import { IconFilterMinus, IconFilterPlus, IconSum } from '@tabler/icons-react';
import { type PointerEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { CopyButton } from '../ui/code-block.tsx';
import { ActionIcon } from '../ui/mantine.ts';
import type { Picked } from './filters.ts';
import { plainText } from './results.ts';
import classes from './value-actions.module.css';

/** What can be done with a value of telemetry, besides copying it. A page leaves out what it cannot do. */
export interface ValueActions {
  /** Keeps only items with the value, or with `exclude` only those without. */
  filter?: ((picked: Picked, exclude: boolean) => void) | undefined;
  /** Groups the items by the field. */
  groupBy?: ((field: string) => void) | undefined;
}

/** Filter for, filter out, group by and copy, for one value. `shown` is what is copied. */
export function ValueButtons({
  picked,
  actions: { filter, groupBy },
  shown = plainText(picked.value),
  name = picked.field,
}: {
  picked: Picked;
  actions: ValueActions;
  shown?: string;
  /** What the page calls the field. */
  name?: string;
}) {
  return (
    <>
      {filter && (
        <>
          <ActionIcon
            size="xs"
            aria-label={`Only with this ${name}`}
            title="Filter for this value"
            onClick={() => filter(picked, false)}
          >
            <IconFilterPlus size={14} />
          </ActionIcon>
          <ActionIcon
            size="xs"
            aria-label={`Without this ${name}`}
            title="Filter out this value"
            onClick={() => filter(picked, true)}
          >
            <IconFilterMinus size={14} />
          </ActionIcon>
        </>
      )}
      {groupBy && (
        <ActionIcon
          size="xs"
          aria-label={`Group by ${name}`}
          title={`Group by ${name}`}
          onClick={() => groupBy(picked.field)}
        >
          <IconSum size={14} />
        </ActionIcon>
      )}
      <CopyButton value={shown} label={`Copy ${name}`} size="xs" />
    </>
  );
}

/**
 * Marks a value in a list or table, so that the `ValueArea` around it offers its actions while the pointer is over it.
 * One toolbar serves the whole list: buttons in each cell would slow down lists of thousands of rows.
 */
export function Value({ picked, children }: { picked: Picked; children: ReactNode }) {
  return (
    <span className={classes.value} data-picked={JSON.stringify(picked)}>
      {children}
    </span>
  );
}

interface Target {
  readonly picked: Picked;
  /** Where the toolbar stands, in pixels of the window. */
  readonly left: number;
  readonly top: number;
}

/** Width in pixels of the toolbar with all its buttons. */
const TOOLBAR = 96;

/**
 * A list or table whose values (`Value`) offer actions under the pointer. By keyboard, the panel of a row offers the same
 * actions.
 */
export function ValueArea({ actions, children }: { actions: ValueActions; children: ReactNode }) {
  const toolbar = useRef<HTMLDivElement>(null);
  const [target, setTarget] = useState<Target | null>(null);
  const isShown = target !== null;
  useEffect(() => {
    if (!isShown) return;
    const hide = () => setTarget(null);
    // The toolbar would stay where the value was.
    window.addEventListener('scroll', hide, { capture: true, passive: true });
    return () => window.removeEventListener('scroll', hide, { capture: true });
  }, [isShown]);
  const onPointerOver = (event: PointerEvent<HTMLDivElement>) => {
    if (event.pointerType !== 'mouse' || !(event.target instanceof Element)) return;
    if (toolbar.current?.contains(event.target)) return;
    const cell = event.target.closest('td') ?? event.target;
    const value = event.target.closest('[data-picked]') ?? cell.querySelector('[data-picked]');
    setTarget(value === null ? null : targetAt(value, cell));
  };
  return (
    <div className={classes.area} onPointerOver={onPointerOver} onPointerLeave={() => setTarget(null)}>
      {children}
      {target && (
        <div
          ref={toolbar}
          className={classes.toolbar}
          role="toolbar"
          aria-label={`Actions for ${target.picked.field}`}
          style={{ left: target.left, top: target.top }}
        >
          <ValueButtons picked={target.picked} actions={actions} />
        </div>
      )}
    </div>
  );
}

function targetAt(value: Element, cell: Element): Target | null {
  const picked = pickedOf(value.getAttribute('data-picked'));
  if (picked === null) return null;
  const { right: edge, top, height } = cell.getBoundingClientRect();
  const { left, right } = value.getBoundingClientRect();
  // Beside a short value; over the end of a value that fills its cell.
  const beside = right < edge ? right + 2 : edge - TOOLBAR;
  return { picked, left: Math.max(left, Math.min(beside, window.innerWidth - TOOLBAR - 4)), top: top + height / 2 };
}

function pickedOf(text: string | null): Picked | null {
  const parsed: unknown = text === null ? null : JSON.parse(text);
  return isPicked(parsed) ? parsed : null;
}

function isPicked(value: unknown): value is Picked {
  return typeof value === 'object' && value !== null && 'field' in value && typeof value.field === 'string';
}
