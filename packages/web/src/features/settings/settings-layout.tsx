import { Link, Outlet } from '@tanstack/react-router';
import { Suspense } from 'react';
import { useScope } from '../../app/session.ts';
import { SETTINGS_PAGES } from '../../app/settings-pages.ts';
import { Page } from '../../ui/page.tsx';
import { Loading } from '../../ui/states.tsx';
import classes from './settings.module.css';

/** The tabs of the settings, with the chosen page below. */
export function SettingsLayout() {
  const scope = useScope();
  return (
    <Page title="Settings" flush>
      <nav className={classes.tabs} aria-label="Settings">
        {SETTINGS_PAGES.map(({ label, to }) => (
          <Link key={to} className={classes.tab} to={to} params={scope}>
            {label}
          </Link>
        ))}
      </nav>
      <div className={classes.content}>
        <Suspense fallback={<Loading />}>
          <Outlet />
        </Suspense>
      </div>
    </Page>
  );
}
