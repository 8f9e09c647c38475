export { answerRecent } from './answer.ts';
export type { RecentAnswer, RecentQuestion, RecentSeries } from './question.ts';
