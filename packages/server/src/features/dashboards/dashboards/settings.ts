import { bytes, count, kibibyte, mebibyte, setting } from '../../../platform/settings.ts';

export const dashboardSettings = {
  limits: {
    perWorkspace: setting('FANION_DASHBOARDS', count(1, 100_000).default(1_000), {
      help: 'Dashboards of one workspace',
    }),
    panels: setting('FANION_DASHBOARD_PANELS', count(1, 1_000).default(200), { help: 'Panels of one dashboard' }),
    versions: setting('FANION_DASHBOARD_VERSIONS', count(1, 10_000).default(500), {
      help: 'Newest versions that are kept of one dashboard',
    }),
    bytes: setting('FANION_DASHBOARD_BYTES', bytes(64 * kibibyte, 8 * mebibyte).default(512 * kibibyte), {
      help: 'Size of one dashboard as JSON',
    }),
  },
  data: {
    rows: setting('FANION_DASHBOARD_PANEL_ROWS', count(100, 100_000).default(10_000), {
      help: 'Rows of one panel; `meta.truncated` reports that there are more',
    }),
    atOnce: setting('FANION_DASHBOARD_PANELS_AT_ONCE', count(1, 100).default(2), {
      help: 'Panels of one request that are queried concurrently',
    }),
  },
  snapshots: {
    perWorkspace: setting('FANION_DASHBOARD_SNAPSHOTS', count(1, 10_000).default(500), {
      help: 'Snapshots of one workspace that have not expired',
    }),
    bytes: setting('FANION_DASHBOARD_SNAPSHOT_BYTES', bytes(64 * kibibyte, 64 * mebibyte).default(16 * mebibyte), {
      help: 'Data of one snapshot, before compression',
    }),
    days: setting('FANION_DASHBOARD_SNAPSHOT_DAYS', count(1, 3_650).default(90), {
      help: 'Longest time that a snapshot is kept, in days',
    }),
  },
  importBytes: setting('FANION_DASHBOARD_IMPORT_BYTES', bytes(64 * kibibyte, 8 * mebibyte).default(8 * mebibyte), {
    help: 'Size of a document that the server fetches to import a dashboard by URL',
  }),
};
