/**
 * How Prometheus moves one alert, written from its documentation (alerting rules, `for`; instant vector selectors look back five minutes): at each
 * evaluation, an element of the expression's result is pending until it has been in the results for `for`, and then fires; one that is not in the
 * result any more is gone at once.
 */
export interface ModelAlert {
  /** Evaluates at a time. @returns what began, if anything did */
  evaluate(at: number, isActive: boolean): 'firing' | 'resolved' | undefined;
}

export function prometheusAlert(forMs: number): ModelAlert {
  let activeAt: number | undefined;
  let isFiring = false;
  return {
    evaluate(at, isActive) {
      if (!isActive) {
        const wasFiring = isFiring;
        activeAt = undefined;
        isFiring = false;
        return wasFiring ? 'resolved' : undefined;
      }
      activeAt ??= at;
      if (isFiring || at - activeAt < forMs) return undefined;
      isFiring = true;
      return 'firing';
    },
  };
}
