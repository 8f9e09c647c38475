export function fails(evaluated: () => unknown): boolean {
  try {
    evaluated();
    return false;
  } catch {
    return true;
  }
}
