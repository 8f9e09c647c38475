import { PromqlError } from '../../../../../promql/src/error.ts';
import { type Outcome, runScriptOn, type Target } from '../../../../../promql/src/testing/run.ts';
import { writeRequest1 } from '../../../../../telemetry/src/testing/remote-write.ts';
import { type SignedUp, stored, testClient } from '../../../testing/test-client.ts';
import { answerOf, type JsonAnswer, type JsonHistogram, jsonForm } from './script-answers.ts';
import { sentBy } from './script-samples.ts';
import { movedQuery } from './script-times.ts';

const DAY_MS = 86_400_000;

/**
 * Runs a script in the form of Prometheus' `promqltest` through the HTTP API: samples are sent by remote write, and queries are sent as
 * Prometheus' clients send them. Each `clear` moves on to a new workspace, from `next`.
 */
export function runScriptThroughDoor(script: string, next: () => Promise<SignedUp>): Promise<Outcome[]> {
  return runScriptOn(doorTarget(next), script);
}

interface Place {
  readonly workspace: SignedUp;
  readonly sender: string;
  readonly reader: string;
}

function doorTarget(next: () => Promise<SignedUp>): Target<JsonHistogram> {
  const origin = Math.floor(Date.now() / DAY_MS - 25) * DAY_MS;
  let opened: Promise<Place> | undefined;
  const place = () => {
    opened ??= next().then(openPlace);
    return opened;
  };
  return {
    form: jsonForm,
    // The engine does the same wherever samples are from, and `packages/promql` runs each script at other times.
    asksOtherTimes: false,
    async clear() {
      opened = undefined;
    },
    async load(command) {
      const { workspace, sender } = await place();
      const answer = await fetch(`${workspace.base}/prometheus/api/v1/write`, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-protobuf',
          'content-encoding': 'snappy',
          authorization: `Bearer ${sender}`,
        },
        body: new Uint8Array(writeRequest1(sentBy(command, origin))),
      });
      const text = await answer.text();
      await stored(workspace.base);
      return answer.status === 204 ? undefined : `${answer.status} ${text.trim()}`;
    },
    async ask(query, { start, end, step }) {
      const { workspace, reader } = await place();
      const at = (time: number) => String((origin + time) / 1000);
      const asked = movedQuery(query, origin);
      const fields: Record<string, string> =
        step === 0
          ? { query: asked, time: at(start) }
          : { query: asked, start: at(start), end: at(end), step: String(step / 1000) };
      const client = testClient(workspace.base, { bearer: reader });
      const { status, json, text } = await client.post(
        `/prometheus/api/v1/query${step === 0 ? '' : '_range'}`,
        new URLSearchParams(fields).toString(),
        { 'content-type': 'application/x-www-form-urlencoded' },
      );
      const answer: JsonAnswer | undefined = json;
      if (answer?.status === 'success') return answerOf(answer, origin);
      const message = answer?.error ?? `${status} ${text}`;
      throw new PromqlError('execution', message.replace(/^invalid parameter "query": /, ''));
    },
  };
}

async function openPlace(workspace: SignedUp): Promise<Place> {
  const [sender, reader] = [await workspace.token(['telemetry:ingest']), await workspace.token(['telemetry:query'])];
  return { workspace, sender, reader };
}
