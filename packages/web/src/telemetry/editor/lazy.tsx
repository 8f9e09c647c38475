import { IconSearch } from '@tabler/icons-react';
import { type ComponentProps, lazy, type RefObject, Suspense, useLayoutEffect, useRef } from 'react';
import classes from './condition-editor.module.css';
import type { Typed } from './typed.ts';

// The editors and the compiler that completes and checks what is typed are the largest part of the application. Pages show their
// data without waiting for them. Until they are there, a plain field takes what people type.
const Condition = lazy(() => import('./condition-editor.tsx').then((module) => ({ default: module.ConditionEditor })));
const Oql = lazy(() => import('./oql-editor.tsx').then((module) => ({ default: module.OqlEditor })));

/** `ConditionEditor`, whose code is loaded when it is shown first. */
export function ConditionEditor(props: Omit<ComponentProps<typeof Condition>, 'typed'>) {
  const typed = useRef<Typed | null>(null);
  return (
    <Suspense fallback={<PlainCondition {...props} typed={typed} />}>
      <Condition {...props} typed={typed} />
    </Suspense>
  );
}

/** `OqlEditor`, whose code is loaded when it is shown first. */
export function OqlEditor(props: Omit<ComponentProps<typeof Oql>, 'typed'>) {
  const typed = useRef<Typed | null>(null);
  return (
    <Suspense fallback={<PlainQuery {...props} typed={typed} />}>
      <Oql {...props} typed={typed} />
    </Suspense>
  );
}

function PlainCondition({ label, placeholder, value, onChange, typed }: ComponentProps<typeof Condition>) {
  const field = useHandedOver<HTMLInputElement>(typed);
  return (
    <div className={classes.field} data-focus-search>
      <IconSearch size={14} className={classes.icon} aria-hidden />
      <input
        // The condition of a link takes the place of what it shows.
        key={value}
        ref={field}
        className={classes.plain}
        aria-label={label}
        placeholder={placeholder}
        defaultValue={value}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onChange(event.currentTarget.value.trim());
        }}
      />
    </div>
  );
}

/** A plain field for queries in a language without an editor. */
export function PlainQuery({
  label = 'OQL query',
  example,
  value,
  onChange,
  onRun,
  typed,
}: Omit<ComponentProps<typeof Oql>, 'hints'>) {
  const field = useHandedOver<HTMLTextAreaElement>(typed);
  return (
    <div className={classes.grown} data-focus-search>
      {/* As tall as the text, so that the field is. */}
      <pre className={classes.query} aria-hidden>
        {value === '' ? ' ' : value}
      </pre>
      <textarea
        ref={field}
        className={classes.query}
        aria-label={label}
        placeholder={example}
        value={value}
        spellCheck={false}
        onChange={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) onRun();
        }}
      />
    </div>
  );
}

/** Notes the text and the focus of a field just before it goes. */
function useHandedOver<Field extends HTMLInputElement | HTMLTextAreaElement>(
  typed: RefObject<Typed | null> | undefined,
): RefObject<Field | null> {
  const field = useRef<Field>(null);
  useLayoutEffect(() => {
    const before = field.current?.value;
    return () => {
      const element = field.current;
      if (typed !== undefined && element !== null)
        typed.current = {
          field: element,
          ...(element.value !== before && { text: element.value }),
          hasFocus: document.activeElement === element,
        };
    };
  }, [typed]);
  return field;
}
