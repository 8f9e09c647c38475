export { answerRecent } from './answer.ts';
export type { RecentAnswer, RecentMetric, RecentQuestion, RecentSeries } from './question.ts';
