import type { DashboardPanel } from '@fanion/contract';
import { IconArrowsMove } from '@tabler/icons-react';
import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef } from 'react';
import classes from './dashboards.module.css';
import type { Box } from './layout.ts';

/** Height of a row of the grid and the gap between panels, in pixels. */
export const ROW = 34;
export const GAP = 8;

export type BoxChange = Partial<Pick<Box, 'x' | 'y' | 'w' | 'h'>>;

export interface Drag {
  column: () => number;
  onDrag: (change: BoxChange | null) => void;
  onBox: (change: BoxChange) => void;
}

const arrows: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** The handle that moves a panel: by dragging, or with the arrow keys. */
export function Mover({ name, panel, drag }: { name: string; panel: DashboardPanel; drag: Drag }) {
  const by = (x: number, y: number) => ({
    x: Math.min(24 - panel.w, Math.max(0, panel.x + x)),
    y: Math.max(0, panel.y + y),
  });
  return (
    <Handle label={`Move ${name}`} className={classes.mover} drag={drag} changed={by}>
      <IconArrowsMove size={14} />
    </Handle>
  );
}

/** The handle that resizes a panel. */
export function Resizer({ name, panel, drag }: { name: string; panel: DashboardPanel; drag: Drag }) {
  const by = (x: number, y: number) => ({
    w: Math.min(24 - panel.x, Math.max(1, panel.w + x)),
    h: Math.max(1, panel.h + y),
  });
  return <Handle label={`Resize ${name}`} className={classes.resizer} drag={drag} changed={by} />;
}

function Handle({
  label,
  className,
  drag,
  changed,
  children,
}: {
  label: string;
  className: string | undefined;
  drag: Drag;
  /** The change for so many columns and rows. */
  changed: (columns: number, rows: number) => BoxChange;
  children?: ReactNode;
}) {
  const start = useRef<{ x: number; y: number } | null>(null);
  const at = (event: PointerEvent<HTMLButtonElement>) => {
    const from = start.current ?? { x: event.clientX, y: event.clientY };
    return changed(
      Math.round((event.clientX - from.x) / drag.column()),
      Math.round((event.clientY - from.y) / (ROW + GAP)),
    );
  };
  const onKeyDown = (event: KeyboardEvent<HTMLButtonElement>) => {
    const arrow = arrows[event.key];
    if (arrow === undefined) return;
    event.preventDefault();
    drag.onBox(changed(arrow[0], arrow[1]));
  };
  return (
    <button
      type="button"
      className={className}
      aria-label={label}
      title={`${label}: drag, or use the arrow keys`}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = { x: event.clientX, y: event.clientY };
      }}
      onPointerMove={(event) => start.current && drag.onDrag(at(event))}
      onPointerUp={(event) => {
        if (start.current) drag.onBox(at(event));
        start.current = null;
        drag.onDrag(null);
      }}
      onPointerCancel={() => {
        start.current = null;
        drag.onDrag(null);
      }}
    >
      {children}
    </button>
  );
}
