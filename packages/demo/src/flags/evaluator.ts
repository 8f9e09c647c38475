import { OFREPProvider } from '@openfeature/ofrep-provider';
import {
  type Client,
  createEvaluationEvent,
  type EvaluationContext,
  type EvaluationDetails,
  type FlagValue,
  type Hook,
  NOOP_PROVIDER,
  OpenFeature,
} from '@openfeature/server-sdk';
import type { Evaluations } from '../emit/render.ts';
import type { Attributes } from '../simulation/operation.ts';
import type { Visitor } from '../simulation/shop.ts';
import { FLAG_DEFAULTS, type FlagKey, type FlagValues } from '../simulation/visit.ts';

/** The flag values for one visitor, and the events to report. */
export interface Answers {
  values: FlagValues;
  evaluations: Evaluations;
}

export interface Evaluator {
  /** Evaluates these flags; one that fails keeps its default and is reported with its error. */
  evaluate(visitor: Visitor, keys: readonly FlagKey[]): Promise<Answers>;
  close(): Promise<void>;
}

/** A shop without a flag service: all defaults, nothing to report. */
export const DEFAULTS_ONLY: Evaluator = {
  evaluate: async () => ({ values: FLAG_DEFAULTS, evaluations: new Map() }),
  close: async () => {},
};

const EVALUATION_TIMEOUT_MS = 5000;

let domains = 0;

/**
 * Creates an evaluator that asks Fanion through OpenFeature's own OFREP provider, one request per flag, like a service.
 * OpenFeature creates the events (`createEvaluationEvent`), by the semantic conventions.
 */
export async function createEvaluator(options: {
  endpoint: string;
  sdkKey: string;
  onError: (error: Error) => void;
}): Promise<Evaluator> {
  // OpenFeature keeps providers in one registry per process; a separate domain does not affect others.
  const domain = `fanion-demo-${++domains}`;
  const provider = new OFREPProvider({
    baseUrl: options.endpoint,
    headers: [['authorization', `Bearer ${options.sdkKey}`]],
    fetchImplementation: (input: string | URL | Request, init?: RequestInit) =>
      fetch(input, { ...init, signal: AbortSignal.timeout(EVALUATION_TIMEOUT_MS) }),
  });
  await OpenFeature.setProviderAndWait(domain, provider);
  const client = OpenFeature.getClient(domain);
  // Each failed evaluation is reported through `details`; the SDK would print every one of them too.
  client.setLogger({ error() {}, warn() {}, info() {}, debug() {} });

  return {
    async evaluate(visitor, keys) {
      const values = { ...FLAG_DEFAULTS };
      const evaluations = new Map<string, Attributes>();
      const context = contextOf(visitor);
      for (const key of keys) {
        const hooks = [reportingHook((attributes) => evaluations.set(key, attributes))];
        const details = await ask(client, key, values, context, hooks);
        if (details.errorCode !== undefined) {
          options.onError(new Error(`flag ${key}: ${details.errorMessage ?? details.errorCode}`));
        }
      }
      return { values, evaluations };
    },
    async close() {
      await OpenFeature.setProviderAndWait(domain, NOOP_PROVIDER);
    },
  };
}

/**
 * Caches the values of each visitor. History is written at one moment, during which the flags do not change, so another
 * request would only be slow. Bounded by the population times the flags.
 */
export function remembering(evaluator: Evaluator): Evaluator {
  const known = new Map<string, Promise<Answers>>();
  function answer(visitor: Visitor, key: FlagKey): Promise<Answers> {
    const id = `${visitor.id} ${key}`;
    const remembered = known.get(id);
    if (remembered) return remembered;
    const asked = evaluator.evaluate(visitor, [key]).then((answers) => {
      // A failed evaluation is retried at the next visit.
      if (answers.evaluations.get(key)?.['error.type'] !== undefined) known.delete(id);
      return answers;
    });
    known.set(id, asked);
    return asked;
  }
  return {
    async evaluate(visitor, keys) {
      const values = { ...FLAG_DEFAULTS };
      const evaluations = new Map<string, Attributes>();
      for (const key of keys) {
        const answers = await answer(visitor, key);
        copy(key, answers.values, values);
        for (const [name, attributes] of answers.evaluations) evaluations.set(name, attributes);
      }
      return { values, evaluations };
    },
    close: () => evaluator.close(),
  };
}

function copy<K extends FlagKey>(key: K, from: FlagValues, to: FlagValues): void {
  to[key] = from[key];
}

function contextOf(visitor: Visitor): EvaluationContext {
  return { targetingKey: visitor.id, country: visitor.country, plan: visitor.plan, device: visitor.device };
}

async function ask(
  client: Client,
  key: FlagKey,
  values: FlagValues,
  context: EvaluationContext,
  hooks: Hook[],
): Promise<EvaluationDetails<FlagValue>> {
  switch (key) {
    case 'new-checkout':
    case 'image-cdn':
    case 'search-box': {
      const details = await client.getBooleanDetails(key, values[key], context, { hooks });
      values[key] = details.value;
      return details;
    }
    case 'payment-provider':
    case 'wishlist-hint':
    case 'button-colour': {
      const details = await client.getStringDetails(key, values[key], context, { hooks });
      values[key] = details.value;
      return details;
    }
    case 'discount': {
      const details = await client.getNumberDetails(key, values[key], context, { hooks });
      values[key] = details.value;
      return details;
    }
  }
}

function reportingHook(report: (attributes: Attributes) => void): Hook {
  return {
    finally(hookContext, details) {
      const { attributes } = createEvaluationEvent(hookContext, details);
      const version = details.flagMetadata.version ?? details.flagMetadata.flagVersion;
      report({
        ...primitives(attributes),
        // The conventions have the version as a string; a server may give it as the number that OFREP allows.
        ...(version === undefined ? {} : { 'feature_flag.version': String(version) }),
      });
    },
  };
}

function primitives(attributes: Readonly<Record<string, unknown>>): Attributes {
  const kept: Attributes = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') kept[name] = value;
  }
  return kept;
}
