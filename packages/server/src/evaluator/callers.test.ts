import { describe, expect, it } from 'vitest';
import type { SdkCaller } from '../http/caller.ts';
import { fail } from '../platform/fail.ts';
import { createCallers } from './callers.ts';

const caller = (keyId: string, workspaceId = 'w'): SdkCaller => ({
  kind: 'sdk',
  keyId,
  keyKind: 'server',
  payloadKey: null,
  allowedOrigins: [],
  workspaceId,
  projectId: 'p',
  environmentId: 'e',
  workspaceNumber: 1,
  projectNumber: 1,
  environmentKey: 'production',
});
const key = { cookie: undefined, authorization: 'Bearer k', apiKey: undefined };
const away = () => fail('SERVER_STARTING');
const revoked = () => fail('UNAUTHENTICATED', { reason: 'revoked' });

function asking() {
  let now = 0;
  let asked = 0;
  let answer: () => SdkCaller = () => caller('k');
  const callers = createCallers({
    ask: async () => {
      asked++;
      return answer();
    },
    clock: { now: () => now },
  });
  return {
    callers,
    asked: () => asked,
    pass: (ms: number) => {
      now += ms;
    },
    answers: (next: () => SdkCaller) => {
      answer = next;
    },
    fails: (error: () => Error) => {
      answer = () => {
        throw error();
      };
    },
  };
}

describe('SDK keys in the process that evaluates', () => {
  it('are asked for once, and then known without waiting', async () => {
    const { callers, asked } = asking();
    expect(await callers.sdkCaller(key)).toEqual(caller('k'));
    expect(callers.sdkCaller(key)).toEqual(caller('k'));
    expect(asked()).toBe(1);
  });

  it('are checked in the background every two seconds', async () => {
    const { callers, pass, fails } = asking();
    await callers.sdkCaller(key);
    pass(2_000);
    fails(revoked);
    expect(callers.sdkCaller(key)).toEqual(caller('k'));
    await Promise.resolve();
    await expect(callers.sdkCaller(key)).rejects.toThrow('revoked');
  });

  it('are checked before they are accepted after a change in their workspace', async () => {
    const { callers, fails } = asking();
    await callers.sdkCaller(key);
    callers.changed({ workspaceId: 'another' });
    expect(callers.sdkCaller(key)).toEqual(caller('k'));
    fails(revoked);
    callers.changed({ workspaceId: 'w' });
    await expect(callers.sdkCaller(key)).rejects.toThrow('revoked');
  });

  it.each([
    ['has not started', away],
    ['has ended meanwhile', () => new Error('the server has ended')],
  ])('stay valid while the server %s', async (_, error) => {
    const { callers, pass, fails } = asking();
    await callers.sdkCaller(key);
    fails(error);
    pass(3_600_000);
    expect(callers.sdkCaller(key)).toEqual(caller('k'));
    callers.changed({});
    expect(await callers.sdkCaller(key)).toEqual(caller('k'));
    const unknown = { ...key, authorization: 'Bearer unknown' };
    await expect(Promise.resolve(callers.sdkCaller(unknown))).rejects.toThrow();
  });

  it('are checked again if something changed while the server answered', async () => {
    const { callers, fails } = asking();
    const first = callers.sdkCaller(key);
    callers.changed({ workspaceId: 'w' });
    await first;
    fails(revoked);
    await expect(Promise.resolve(callers.sdkCaller(key))).rejects.toThrow('revoked');
  });

  it('are learnt from the server', () => {
    const { callers, asked } = asking();
    callers.learn(key, caller('k'));
    expect(callers.sdkCaller(key)).toEqual(caller('k'));
    expect(asked()).toBe(0);
  });
});
