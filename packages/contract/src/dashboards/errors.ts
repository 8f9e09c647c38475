import { defineErrors } from '../error-definition.ts';

export const dashboardsErrors = defineErrors({
  DASHBOARD_INVALID: { code: 'SVC-7100', status: 422, message: 'invalid dashboard: {reason}' },
  DASHBOARD_FROM_FILE: {
    code: 'SVC-7101',
    status: 409,
    message: 'this dashboard comes from the file {source}: change it there, or copy it',
  },
  VARIABLE_INVALID: { code: 'SVC-7102', status: 422, message: 'invalid value of a variable: {reason}' },
  DASHBOARD_NOT_GRAFANA: { code: 'SVC-7103', status: 422, message: 'not a dashboard of Grafana: {reason}' },
  DASHBOARD_NOT_FETCHED: {
    code: 'SVC-7104',
    status: 422,
    message: 'cannot read a dashboard from this URL: {reason}',
  },
  IMPORTS_LIMITED: {
    code: 'SVC-7105',
    status: 429,
    message: 'too many dashboards are being fetched at the same time; try again in {seconds} s',
  },
  SNAPSHOT_TOO_LARGE: {
    code: 'SVC-7200',
    status: 422,
    message:
      'the data of the snapshot is larger than {limit} bytes: choose a shorter window, or a dashboard with fewer panels',
  },
  SNAPSHOT_TOO_LONG: { code: 'SVC-7201', status: 422, message: 'a snapshot is kept for at most {limit} days' },
  PANEL_NOT_SPLIT: { code: 'SVC-7202', status: 422, message: 'the panel cannot be split by a flag: {reason}' },
});
