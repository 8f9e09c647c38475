import { ApiError, type RouteResponse, type validateQuery } from '@fanion/contract';

export type OqlDiagnostic = RouteResponse<typeof validateQuery>['diagnostics'][number];

/** The diagnostics that the answer to an invalid query carries in its `details`. */
export function diagnosticsOf(error: unknown): OqlDiagnostic[] {
  if (!(error instanceof ApiError) || error.status !== 422) return [];
  return (error.details ?? []).filter(
    (detail): detail is typeof detail & OqlDiagnostic => 'span' in detail && 'severity' in detail,
  );
}
