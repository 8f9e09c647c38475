import { ApiError, type RouteResponse, type validateQuery } from '@fanion/contract';

export type OqlDiagnostic = RouteResponse<typeof validateQuery>['diagnostics'][number];

/** The diagnostics in the `details` of the response to an invalid query. */
export function diagnosticsOf(error: unknown): OqlDiagnostic[] {
  if (!(error instanceof ApiError) || error.status !== 422) return [];
  return (error.details ?? []).filter(
    (detail): detail is typeof detail & OqlDiagnostic => 'span' in detail && 'severity' in detail,
  );
}
