import type { LibraryDashboard } from '../library-rules.ts';
import { fanion } from './fanion.ts';
import { hosts } from './hosts.ts';
import { jvm } from './jvm.ts';
import { kubernetes } from './kubernetes.ts';
import { nodejs } from './nodejs.ts';
import { postgresql } from './postgresql.ts';
import { services } from './services.ts';

/** In the order of the page. */
export const libraryDashboards: readonly LibraryDashboard[] = [
  services,
  hosts,
  kubernetes,
  jvm,
  nodejs,
  postgresql,
  fanion,
];
