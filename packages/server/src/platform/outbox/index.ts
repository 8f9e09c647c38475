export { listenForOutbox } from './listen.ts';
export { createOutbox, type Outbox, outboxPruneJob } from './outbox.ts';
export { appendOutbox, type OutboxMessage } from './store.ts';
