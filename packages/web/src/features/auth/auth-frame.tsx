import { type ReactNode, useEffect } from 'react';
import { Mark } from '../../app/mark.tsx';
import classes from './auth-frame.module.css';

/** The card for sign-up, sign-in and invitations. */
export function AuthFrame({
  title,
  lead,
  foot,
  children,
}: {
  title: string;
  lead?: ReactNode;
  foot?: ReactNode;
  children?: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Fanion`;
  }, [title]);
  return (
    <main className={classes.frame}>
      <div className={classes.card}>
        <div className={classes.brand}>
          <Mark size={28} />
          Fanion
        </div>
        <div className={classes.box}>
          <h1>{title}</h1>
          {lead && <p className={classes.lead}>{lead}</p>}
          {children}
        </div>
        {foot && <p className={classes.foot}>{foot}</p>}
      </div>
    </main>
  );
}

export function Or() {
  return <div className={classes.or}>or</div>;
}
