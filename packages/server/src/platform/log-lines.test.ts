import { expect, it } from 'vitest';
import { createLog } from './log.ts';
import { createLogLines, type LogLine } from './log-lines.ts';

it('passes on lines of the wanted level, without their secrets, until told to end', () => {
  const written: string[] = [];
  const taken: LogLine[] = [];
  const lines = createLogLines({ write: (text) => written.push(text) });
  const end = lines.follow(40, (line) => taken.push(line));
  const log = createLog('info', lines).child({ reqId: 'r1' });
  log.info({}, 'begun');
  log.warn({ token: 'svc_pat_secret' }, 'late');
  end();
  log.error({}, 'gone');
  expect(written).toHaveLength(3);
  expect(taken).toMatchObject([{ level: 40, msg: 'late', reqId: 'r1', token: '[secret]' }]);
});
