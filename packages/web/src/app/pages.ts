import type { Icon } from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import { useMemo } from 'react';

/** Where pages are listed: these are sections of the navigation; `Settings` pages are tabs of that page. */
export const SECTIONS = ['Observe', 'Alerting', 'Release', 'Set up'] as const;
/** Where the tabs of the settings belong, in their order. */
export const SETTINGS_GROUPS = ['Workspace', 'Project', 'You'] as const;
export type SettingsGroup = (typeof SETTINGS_GROUPS)[number];
export type Section = (typeof SECTIONS)[number] | 'Settings';

declare module '@tanstack/react-router' {
  /** A page's description in its route. The navigation, the palette and the settings list the pages that have a section. */
  interface StaticDataRouteOption {
    section?: Section;
    /** Of a page of the settings. */
    group?: SettingsGroup;
    label?: string;
    icon?: Icon;
  }
}

export interface ListedPage {
  readonly section: Section;
  readonly group: SettingsGroup | undefined;
  readonly label: string;
  /** Its path, with `$ws` and `$project`. */
  readonly to: string;
  readonly icon: Icon | undefined;
}

/** The listed pages in route order. */
export function usePages(): readonly ListedPage[] {
  const { routesById } = useRouter();
  return useMemo(
    () =>
      Object.values(routesById).flatMap(({ options: { staticData }, fullPath }) =>
        staticData?.section === undefined || staticData.label === undefined
          ? []
          : [
              {
                section: staticData.section,
                group: staticData.group,
                label: staticData.label,
                icon: staticData.icon,
                to: fullPath as string,
              },
            ],
      ),
    [routesById],
  );
}
