export { labelsIn, NoEqual, type Translation, translatePromql } from './translate.ts';
