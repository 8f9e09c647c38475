// Sends requests at a fixed rate from a process of its own, and answers each message of its parent with what it saw since the
// one before: the time of each answer in microseconds, from when its request was due. Arguments: JSON of the targets,
// `{name, port, request}`, and requests per second to each.
import { createConnection } from 'node:net';

const targets = JSON.parse(process.argv[2] ?? '[]');
const perSecond = Number(process.argv[3] ?? 100);
const spare = 32;

const lanes = targets.map(({ name, port, request }) => {
  const bytes = Buffer.from(request);
  const idle = [];
  const late = [];
  const seen = { times: [], unanswered: 0 };
  const next = (socket) => {
    const due = late.shift();
    if (due === undefined) idle.push(socket);
    else ask(socket, due);
  };
  const ask = (socket, due) => {
    socket.due = due;
    socket.write(bytes);
  };
  for (let n = 0; n < spare; n++) {
    const socket = createConnection({ port, host: '127.0.0.1', noDelay: true });
    socket.on('connect', () => idle.push(socket));
    // The servers end first, when the figures are there.
    socket.on('error', () => {});
    // Each answer is far smaller than a packet.
    socket.on('data', (chunk) => {
      if (!chunk.toString('latin1', 0, 12).startsWith('HTTP/1.1 200'))
        throw new Error(`${name}: ${chunk.toString('latin1', 0, 300)}`);
      seen.times.push(Math.round((performance.now() - socket.due) * 1000));
      next(socket);
    });
  }
  return {
    name,
    seen,
    send(due) {
      const socket = idle.shift();
      if (socket === undefined) late.push(due);
      else ask(socket, due);
    },
    waiting: () => late.length + spare - idle.length,
  };
});

let sent = 0;
const began = performance.now();
const tick = () => {
  const due = Math.floor(((performance.now() - began) * perSecond) / 1000);
  // Sent apart, so that the two servers do not answer at the same moment.
  for (; sent < due; sent++) for (const lane of lanes) lane.send(performance.now());
  setTimeout(tick, Math.random() * (2000 / perSecond));
};
tick();

process.on('message', () => {
  process.send?.(lanes.map(({ name, seen, waiting }) => ({ name, times: seen.times.splice(0), waiting: waiting() })));
});
process.on('disconnect', () => process.exit());
