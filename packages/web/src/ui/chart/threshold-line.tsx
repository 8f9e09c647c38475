import type { KeyboardEvent, PointerEvent } from 'react';
import { useDraggedValue } from '../use-dragged-value.ts';
import classes from './chart.module.css';

/** A line at a value of a chart. */
export interface Threshold {
  value: number;
  label: string;
  /** Its colour; by default that of errors. */
  tone?: 'ok' | 'warning' | 'error' | 'neutral';
  /** Called when the user has dragged the line, or moved it with the arrow keys; without it, the line stays. */
  onChange?: (value: number) => void;
}

/** The plot's place in its chart in pixels, and the values at its lower and upper edge. */
export interface ValueScale {
  left: number;
  top: number;
  width: number;
  height: number;
  min: number;
  max: number;
}

/** The line of a threshold over a plot. */
export function ThresholdLine({
  threshold: { value, label, tone, onChange },
  scale,
  format,
}: {
  threshold: Threshold;
  scale: ValueScale;
  format: (value: number) => string;
}) {
  const { dragged, handle } = useDraggedValue();
  const { left, top, width, height, min, max } = scale;
  const span = max - min || 1;
  const shown = dragged ?? value;
  const y = top + (1 - (Math.min(Math.max(shown, min), max) - min) / span) * height;
  const place = { left, top: y, width };
  const text = `${label} ${format(shown)}`.trim();
  if (onChange === undefined)
    return (
      <div className={classes.threshold} style={place} data-tone={tone} aria-hidden>
        <span>{text}</span>
      </div>
    );

  const valueAt = (event: PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.parentElement?.getBoundingClientRect();
    const share = 1 - (event.clientY - (box?.top ?? 0) - top) / height;
    return rounded(min + Math.min(Math.max(share, 0), 1) * span, span);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    onChange(rounded(value + (step * span) / 100, span));
  };
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-orientation="vertical"
      aria-valuemin={min}
      aria-valuemax={max}
      aria-valuenow={shown}
      aria-valuetext={format(shown)}
      className={`${classes.threshold} ${classes.movable}`}
      style={place}
      onKeyDown={onKeyDown}
      {...handle(valueAt, onChange)}
    >
      <span>{text}</span>
    </div>
  );
}

/** A value to about a two-hundredth of the scale, so that dragging gives a number that one would type. */
function rounded(value: number, span: number): number {
  const digits = Math.min(12, 3 - Math.ceil(Math.log10(span)));
  if (digits >= 0) return Number(value.toFixed(digits));
  const step = 10 ** -digits;
  return Math.round(value / step) * step;
}
