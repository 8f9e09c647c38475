export { listenForOutbox } from './listen.ts';
export { createOutbox, type Outbox, type OutboxOptions, type OutboxSubscriber, outboxPruneJob } from './outbox.ts';
export { appendOutbox, type NewOutboxMessage, type OutboxMessage } from './store.ts';
