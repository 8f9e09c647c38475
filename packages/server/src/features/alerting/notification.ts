/** What explains an alert, as JSON: what its failing rows have in common, example traces, changes before it. */
export type Explanation = Readonly<Record<string, unknown>>;

export interface NotifiedAlert {
  readonly status: 'firing' | 'resolved';
  readonly labels: Readonly<Record<string, string>>;
  /** Rendered. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: Date;
  /** null: still firing. */
  readonly endsAt: Date | null;
  /** Opens the instance in the web application. */
  readonly generatorUrl: string;
  /** Of its labels: the same for the same alert. */
  readonly fingerprint: string;
  readonly value: number | null;
  readonly ruleId: string;
  readonly instanceId: string;
  readonly explanation?: Explanation | undefined;
}

/** One message about a group of alerts: the data of Alertmanager's webhook, version 4. */
export interface Notification {
  readonly groupKey: string;
  readonly status: 'firing' | 'resolved';
  readonly groupLabels: Readonly<Record<string, string>>;
  readonly commonLabels: Readonly<Record<string, string>>;
  readonly commonAnnotations: Readonly<Record<string, string>>;
  /** The web application. */
  readonly externalUrl: string;
  /** The page with the alerts of the group's project. */
  readonly alertsUrl: string;
  /** How many alerts of the group are left out of `alerts`. */
  readonly truncated: { readonly firing: number; readonly resolved: number };
  readonly alerts: readonly NotifiedAlert[];
}

/**
 * What a receiver answered. `delivered`: it accepted the message. `retry`: the same body can be accepted later. `final`:
 * it never will be.
 */
export type Attempt =
  | { readonly kind: 'delivered'; readonly status: number | null; readonly answer: string }
  | {
      readonly kind: 'retry';
      readonly status: number | null;
      readonly error: string;
      readonly answer?: string;
      /** What the receiver asks to wait. */
      readonly retryAfterMs?: number;
    }
  | { readonly kind: 'final'; readonly status: number | null; readonly error: string; readonly answer?: string };
