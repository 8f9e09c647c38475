import { IconSearch } from '@tabler/icons-react';
import { type ComponentProps, lazy, Suspense } from 'react';
import classes from './condition-editor.module.css';

// The editors and the compiler that completes and checks what is typed are the largest part of the application. Pages show their
// data without waiting for them.
const Condition = lazy(() => import('./condition-editor.tsx').then((module) => ({ default: module.ConditionEditor })));
const Oql = lazy(() => import('./oql-editor.tsx').then((module) => ({ default: module.OqlEditor })));

/** `ConditionEditor`; until its code is loaded, its text in its place. */
export function ConditionEditor(props: ComponentProps<typeof Condition>) {
  const { value, placeholder } = props;
  return (
    <Suspense
      fallback={
        <div className={classes.field} aria-busy>
          <IconSearch size={14} className={classes.icon} aria-hidden />
          <span className={`${classes.waiting} truncate`}>{value === '' ? placeholder : value}</span>
        </div>
      }
    >
      <Condition {...props} />
    </Suspense>
  );
}

/** `OqlEditor`; until its code is loaded, its text in its place. */
export function OqlEditor(props: ComponentProps<typeof Oql>) {
  return (
    <Suspense
      fallback={
        <pre className={classes.query} aria-busy>
          {props.value === '' ? ' ' : props.value}
        </pre>
      }
    >
      <Oql {...props} />
    </Suspense>
  );
}
