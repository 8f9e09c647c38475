const nanoseconds: Readonly<Record<string, bigint>> = {
  ...{ ns: 1n, us: 1_000n, µs: 1_000n, μs: 1_000n, ms: 1_000_000n, s: 1_000_000_000n, m: 60_000_000_000n },
  ...{ h: 3_600_000_000_000n, d: 86_400_000_000_000n, w: 604_800_000_000_000n, y: 31_536_000_000_000_000n },
};

const wholeDuration =
  /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h|d|w|y)(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h|d|w|y))*$/;

/** Nanoseconds of a duration such as `1h30m` or `1.5s`; undefined: it is none. */
export function durationNs(text: string): bigint | undefined {
  if (text.length > 100 || !wholeDuration.test(text)) return undefined;
  let sum = 0n;
  for (const [, amount = '', unit = ''] of text.matchAll(/(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h|d|w|y)/g)) {
    const [whole = '', part = ''] = amount.split('.');
    const size = nanoseconds[unit] ?? 0n;
    sum += BigInt(whole || '0') * size + (BigInt(part || '0') * size) / 10n ** BigInt(part.length);
  }
  return text.startsWith('-') ? -sum : sum;
}

const sizes: Readonly<Record<string, number>> = {
  ...{ '': 1, b: 1, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12, pb: 1e15, eb: 1e18, k: 1e3, m: 1e6, g: 1e9, t: 1e12, p: 1e15 },
  ...{ kib: 1024, mib: 1024 ** 2, gib: 1024 ** 3, tib: 1024 ** 4, pib: 1024 ** 5, eib: 1024 ** 6 },
  ...{ ki: 1024, mi: 1024 ** 2, gi: 1024 ** 3, ti: 1024 ** 4, pi: 1024 ** 5, ei: 1024 ** 6, e: 1e18 },
};

/** Bytes of a size such as `5KB` or `1.5 KiB`; undefined: it is none. */
export function bytesOf(text: string): number | undefined {
  const [, amount, unit = ''] =
    /^(\d+(?:\.\d*)?|\.\d+)\s*([a-zA-Z]{0,3})$/.exec(text.slice(0, 100).replaceAll(',', '')) ?? [];
  const size = sizes[unit.toLowerCase()];
  return amount === undefined || size === undefined ? undefined : Math.trunc(Number(amount) * size);
}

/** A number as Go's `ParseFloat` reads it; undefined: it is none. */
export function numberOf(text: string): number | undefined {
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return Number(text);
  if (/^[+-]?(inf|infinity)$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  return /^nan$/i.test(text) ? Number.NaN : undefined;
}
