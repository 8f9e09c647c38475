export { answerRecent } from './answer.ts';
export { type RecentAnswer, type RecentQuestion, type RecentSeries, UNKNOWN_START } from './question.ts';
