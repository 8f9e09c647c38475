import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { Suspense } from 'react';
import { SETTINGS_GROUPS, usePages } from '../../app/pages.ts';
import { useScope } from '../../app/session.ts';
import { Page } from '../../ui/page.tsx';
import { useRoving } from '../../ui/roving.ts';
import { Loading } from '../../ui/states.tsx';
import classes from './settings.module.css';

/** The settings tabs with the selected page below. */
export function SettingsLayout() {
  const scope = useScope();
  const tabs = usePages().filter(({ section }) => section === 'Settings');
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  const keys = SETTINGS_GROUPS.flatMap((group) => tabs.filter((tab) => tab.group === group).map(({ to }) => to));
  const current = keys.find((to) => pathname.endsWith(to.slice(to.lastIndexOf('/'))));
  const { group: roving, item } = useRoving(keys, 'horizontal', current);
  return (
    <Page title="Settings" flush>
      <nav className={classes.tabs} aria-label="Settings" {...roving}>
        {SETTINGS_GROUPS.map((group) => (
          <div key={group} className={classes.group}>
            <span className={classes.groupName}>{group}</span>
            {tabs
              .filter((tab) => tab.group === group)
              .map(({ label, to }) => (
                <Link key={to} className={classes.tab} to={to} params={scope} {...item(to)}>
                  {label}
                </Link>
              ))}
          </div>
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
