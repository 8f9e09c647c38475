import type { ReactNode } from 'react';
import { Notice } from '../../ui/states.tsx';
import { useFieldHints } from '../field-hints.ts';
import { OqlEditor } from './lazy.tsx';
import classes from './query-field.module.css';

/** A query as a field of a form. */
export function QueryField({
  label,
  example,
  value,
  error,
  onChange,
}: {
  /** Shown above it, where a form has several; without it the editor is called “OQL query”. */
  label?: string;
  example: string;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}) {
  const hints = useFieldHints();
  return (
    <QueryFrame {...(label !== undefined && { label })} error={error}>
      <OqlEditor
        {...(label !== undefined && { label })}
        example={example}
        value={value}
        onChange={(next) => next !== value && onChange(next)}
        onRun={() => {}}
        hints={hints}
      />
    </QueryFrame>
  );
}

/** An editor as a field of a form. */
export function QueryFrame({
  label,
  error,
  children,
}: {
  label?: string;
  error: string | undefined;
  children: ReactNode;
}) {
  return (
    <div className={classes.field}>
      {label !== undefined && <span className={classes.label}>{label}</span>}
      <div className={classes.editor} data-invalid={error !== undefined || undefined}>
        {children}
      </div>
      {error !== undefined && <Notice kind="error">{error}.</Notice>}
    </div>
  );
}
