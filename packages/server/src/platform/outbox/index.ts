export { listenForOutbox } from './listen.ts';
export { createOutbox, type Outbox, type OutboxSubscriber, outboxPruneJob } from './outbox.ts';
export { appendOutbox, type OutboxMessage } from './store.ts';
