export type { Diagnostic, Severity, Suggestion } from './diagnostics/diagnostic.ts';
export { parse } from './syntax/parse.ts';
export { printQuery } from './syntax/print.ts';
