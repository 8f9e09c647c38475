export { NoEqual } from './ast.ts';
export { labelsIn } from './expressions.ts';
export { type Translation, translatePromql } from './translate.ts';
