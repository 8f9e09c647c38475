import { type MessagePort, parentPort, receiveMessageOnPort } from 'node:worker_threads';
import { createKeptMetrics } from './kept-metrics.ts';
import type { FromFeed, FromRecent, ToRecent } from './protocol.ts';

/** The thread that keeps recent points and answers from them, one question after the other. */
function serve(port: MessagePort): void {
  const metrics = createKeptMetrics({ now: () => performance.now() / 1000 });
  const send = (message: FromRecent) => port.postMessage(message);
  let feed: MessagePort | undefined;

  /** Two ports have no order between them, but what was fed before a question counts for it. */
  function takeFed(): void {
    if (feed === undefined) return;
    for (let next = receiveMessageOnPort(feed); next !== undefined; next = receiveMessageOnPort(feed))
      metrics.feed(next.message as FromFeed);
  }

  function report(): void {
    for (const lost of metrics.takeLost()) send({ lost });
    const resized = metrics.takeResized();
    if (resized.length > 0) send({ resized });
  }

  function handle(message: ToRecent): void {
    switch (message.do) {
      case 'feed':
        feed = message.port;
        feed.on('message', (fed: FromFeed) => {
          metrics.feed(fed);
          report();
        });
        return;
      case 'begin':
        metrics.begin(message.place, message.fromMs);
        send({ id: message.id, begun: true });
        return;
      case 'series':
      case 'points':
        metrics.read(message.place, message.do, message.bytes);
        return;
      case 'finish':
        takeFed();
        send({ id: message.id, isWhole: metrics.finish(message.place) });
        return;
      case 'drop':
        metrics.drop(message.place);
        return;
      case 'trim':
        metrics.trim(message.place, message.fromMs);
        return;
      case 'remove':
        takeFed();
        metrics.remove(message.workspace, message.hidden);
        return;
      case 'answer':
        takeFed();
        send({ id: message.id, answer: metrics.answer(message.job) });
    }
  }

  port.on('message', (message: ToRecent) => {
    handle(message);
    report();
  });
}

if (parentPort !== null) serve(parentPort);
