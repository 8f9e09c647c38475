import type { Icon } from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import { useMemo } from 'react';

/** Where a page is listed: the first three are sections of the navigation, `Settings` are the tabs of that page. */
export const SECTIONS = ['Observe', 'Release', 'Set up'] as const;
export type Section = (typeof SECTIONS)[number] | 'Settings';

declare module '@tanstack/react-router' {
  /** What a page's route says of it. The navigation, the palette and the settings list the pages that have a section. */
  interface StaticDataRouteOption {
    section?: Section;
    label?: string;
    icon?: Icon;
  }
}

export interface ListedPage {
  readonly section: Section;
  readonly label: string;
  /** Its address, with `$ws` and `$project`. */
  readonly to: string;
  readonly icon: Icon | undefined;
}

/** The pages that are listed, in the order of their routes. */
export function usePages(): readonly ListedPage[] {
  const { routesById } = useRouter();
  return useMemo(
    () =>
      Object.values(routesById).flatMap(({ options: { staticData }, fullPath }) =>
        staticData?.section === undefined || staticData.label === undefined
          ? []
          : [{ section: staticData.section, label: staticData.label, icon: staticData.icon, to: fullPath as string }],
      ),
    [routesById],
  );
}
