import { type ReactNode, useEffect, useId } from 'react';
import { useOneStop } from './one-stop.ts';
import classes from './page.module.css';
import { Skeleton } from './skeleton.tsx';

/**
 * The frame of a page: its title (also the document's), what leads up to it, its actions at the right. `flush` takes
 * the padding away for pages that fill the window; `narrow` keeps forms and prose readable.
 */
export function Page({
  title,
  crumbs,
  subtitle,
  actions,
  flush,
  narrow,
  children,
}: {
  title: string;
  crumbs?: ReactNode;
  subtitle?: ReactNode;
  actions?: ReactNode;
  flush?: boolean;
  narrow?: boolean;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Fanion`;
  }, [title]);
  const toolbar = useOneStop<HTMLDivElement>();
  return (
    <div className={classes.page}>
      <header className={classes.header}>
        <div className={classes.heading}>
          {crumbs && (
            <span className={classes.crumbs}>
              {crumbs}
              <span aria-hidden>/</span>
            </span>
          )}
          <h1 className="truncate">{title}</h1>
          {subtitle && <span className={classes.subtitle}>{subtitle}</span>}
        </div>
        {actions && (
          <div ref={toolbar} className={classes.actions} role="toolbar" aria-label="Actions of the page">
            {actions}
          </div>
        )}
      </header>
      <div className={`${classes.body} ${flush ? classes.flush : ''} ${narrow ? classes.narrow : ''}`}>{children}</div>
    </div>
  );
}

/** Stands where a page is loading: its header and the room below it, so that nothing jumps when it arrives. */
export function PagePending() {
  return (
    <div className={classes.page}>
      <div className={classes.header} />
      <div className={classes.body}>
        <Skeleton height="calc(100dvh - 100px)" />
      </div>
    </div>
  );
}

/** A bordered area with a heading. `tight` lets a table reach the border. */
export function Panel({
  title,
  actions,
  tight,
  children,
}: {
  title?: ReactNode;
  actions?: ReactNode;
  tight?: boolean;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section className={classes.panel} {...(title !== undefined && { 'aria-labelledby': id })}>
      {(title !== undefined || actions !== undefined) && (
        <div className={classes.panelHeader}>
          <h2 id={id}>{title}</h2>
          {actions}
        </div>
      )}
      <div className={tight ? classes.tight : classes.panelBody}>{children}</div>
    </section>
  );
}
