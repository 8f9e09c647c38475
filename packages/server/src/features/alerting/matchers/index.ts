export { parseMatchers, printMatchers } from './parse-rules.ts';
export { type ReadMatchers, readMatchers } from './read-rules.ts';
export {
  type CompiledMatchers,
  compileMatchers,
  compileStored,
  type Labels,
  labelValue,
  type Matcher,
  type MatcherProblem,
  matcherOperators,
} from './rules.ts';
