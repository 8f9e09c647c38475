/**
 * A change that other replicas need: the transaction of the change appends a message; every replica reads the outbox
 * by transaction id once a second, and sooner when PostgreSQL notifies it.
 */

export { listenForOutbox } from './listen.ts';
export { Outbox, type OutboxSubscriber, outboxPruneJob } from './outbox.ts';
export { appendOutbox, type OutboxMessage } from './store.ts';
