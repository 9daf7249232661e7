// Messages between the page and its worker about overfilling and measuring a filter.
import type { Settings } from './filters';

/** The filter is filled to this multiple of its capacity, and measured at this number of points on the way. */
export const OVERFILL = 3;
export const POINTS = 30;

export interface Job extends Settings {
  readonly type: string;
}

/** The filter at one moment of its filling. */
export interface Point {
  readonly count: number;
  /** The filter's own estimate of its rate. */
  readonly estimated: number;
  readonly falsePositives: number;
  readonly absentKeys: number;
}

/** The worker's last message: the number of keys that the filter denied, and whether it became full. */
export interface Summary {
  readonly missed: number;
  readonly isFull: boolean;
}

/** A message of the worker: a point while the filter fills, or the end. */
export type Finding = { readonly point: Point } | { readonly summary: Summary };

export function countAt(capacity: number, point: number): number {
  return Math.round((OVERFILL * capacity * point) / POINTS);
}
