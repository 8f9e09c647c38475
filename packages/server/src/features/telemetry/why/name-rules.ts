/** OQL's own fields, which need no prefix. */
export const ownFields: ReadonlySet<string> = new Set([
  'service.name',
  'name',
  'kind',
  'status',
  'severity',
  'event_name',
  'environment',
  'scope.name',
]);

/** Namespaces of OpenTelemetry's semantic conventions. */
const conventional =
  /^(aws|azure|browser|client|cloud|code|container|db|deployment|device|enduser|faas|gcp|gen_ai|geo|graphql|host|http|k8s|messaging|network|os|peer|process|rpc|server|service|telemetry|thread|tls|url|user_agent)\./;

/**
 * Which of two fields with the same items names them: data cannot tell them apart, so the field that readers know comes first, then
 * what describes the program before what describes an operation, then the shorter one.
 */
export function byFamiliarity(a: string, b: string): number {
  const rank = (field: string) => {
    const bare = field.replace(/^resource\./, '');
    if (ownFields.has(field)) return 0;
    return (conventional.test(bare) ? 1 : 3) + (bare === field ? 1 : 0);
  };
  return rank(a) - rank(b) || a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}
