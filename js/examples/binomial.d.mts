export function logGamma(x: number): number;
export function atMost(x: number, n: number, p: number): number;
export function atLeast(x: number, n: number, p: number): number;
export function binomialInterval(
  n: number,
  p: number,
  alpha: number,
): { readonly low: number; readonly high: number };
