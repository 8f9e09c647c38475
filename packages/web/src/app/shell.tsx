import { Outlet, useRouterState, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { Annotations } from '../telemetry/annotations.tsx';
import { ButtonLink } from '../ui/link.tsx';
import { useHotkeys, useMediaQuery } from '../ui/mantine.ts';
import { Page, PagePending } from '../ui/page.tsx';
import { PHONE } from '../ui/screen.ts';
import { EmptyState } from '../ui/states.tsx';
import { BottomBar } from './bottom-bar.tsx';
import { ConnectionBar, useIsCutOff } from './connection-bar.tsx';
import { endedSession } from './ended-session.ts';
import { Help } from './help.tsx';
import { Navigation } from './navigation.tsx';
import { Palette } from './palette.tsx';
import { useServiceColours } from './service-colours.ts';
import { NO_PROJECT, rememberScope, useScope } from './session.ts';
import classes from './shell.module.css';
import { useChosenTimeZone } from './time-zone.tsx';

const SignInAgain = lazy(() => import('./sign-in-again.tsx').then((module) => ({ default: module.SignInAgain })));

/** The frame of every signed-in page: navigation on the left, page, command palette and help. */
export function Shell() {
  const scope = useScope();
  const [palette, setPalette] = useState(false);
  const [help, setHelp] = useState(false);
  const inSettings = useRouterState({ select: (state) => state.location.pathname.includes('/settings') });
  const isPhone = useMediaQuery(PHONE, false, { getInitialValueInEffect: false });
  const isCutOff = useIsCutOff();
  const hasColours = useServiceColours(scope);
  // Logs, traces, metrics and profiles are narrowed to a service by the address.
  const { service } = useSearch({ strict: false });
  const hasEnded = useSyncExternalStore(endedSession.subscribe, endedSession.hasEnded);
  useChosenTimeZone();
  useEffect(() => rememberScope(scope), [scope]);
  // Works inside inputs and editors too, because it has a modifier.
  useHotkeys([['mod+K', () => setPalette(true)]], [], true);
  useHotkeys([
    // The key, and whether it needs Shift, depends on the keyboard layout.
    ['shift+?', () => setHelp(true)],
    ['?', () => setHelp(true)],
    ['/', focusSearch],
  ]);
  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#main">
        Skip to content
      </a>
      {!isPhone && <Navigation label="Main" onSearch={() => setPalette(true)} onHelp={() => setHelp(true)} />}
      <main className={classes.main} id="main" tabIndex={-1}>
        <FocusOnNavigation />
        <ConnectionBar />
        <div className={classes.page} data-stale={isCutOff || undefined}>
          <Suspense fallback={<PagePending />}>
            {scope.project === NO_PROJECT && !inSettings ? (
              <NoProject />
            ) : hasColours ? (
              <Annotations service={service}>
                <Outlet />
              </Annotations>
            ) : (
              <PagePending />
            )}
          </Suspense>
        </div>
      </main>
      {isPhone && <BottomBar onSearch={() => setPalette(true)} onHelp={() => setHelp(true)} />}
      <Palette opened={palette} onClose={() => setPalette(false)} onHelp={() => setHelp(true)} />
      {hasEnded && (
        <Suspense>
          <SignInAgain />
        </Suspense>
      )}
      <Help opened={help} onClose={() => setHelp(false)} />
    </div>
  );
}

/** The frame while the session is checked. */
export function ShellPending() {
  const isPhone = useMediaQuery(PHONE, false, { getInitialValueInEffect: false });
  return (
    <div className={classes.shell}>
      {!isPhone && <div className={classes.side} />}
      <div className={classes.main}>
        <PagePending />
      </div>
    </div>
  );
}

/** Shown on all pages except the settings in a workspace without projects. */
function NoProject() {
  return (
    <Page title="No project">
      <EmptyState
        title="This workspace has no project"
        action={
          <ButtonLink to="/w/$ws/$project/settings/projects" params={useScope()}>
            Create a project
          </ButtonLink>
        }
      >
        Telemetry and flags belong to a project. A new project starts with two environments.
      </EmptyState>
    </Page>
  );
}

/** `/` focuses the page's search or query field. */
function focusSearch(event: KeyboardEvent): void {
  const field = document.querySelector<HTMLElement>(
    '[data-focus-search] input, [data-focus-search] textarea, [data-focus-search] .cm-content, input[data-focus-search]',
  );
  if (!field) return;
  event.preventDefault();
  field.focus();
}

/** Scrolls to the top on navigation. */
function FocusOnNavigation() {
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is what this reacts to
  useEffect(() => {
    document.getElementById('main')?.scrollTo({ top: 0 });
  }, [pathname]);
  return null;
}
