// For programs that only read queries: without the compiler, which is many times larger.
export { applySuggestion } from '../diagnostics/diagnostic.ts';
export { parse } from './parse.ts';
export { printQuery } from './print.ts';
