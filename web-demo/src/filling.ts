// What the page and its worker agree on: how a filter is overfilled and measured.
import type { Settings } from './filters';

/** Filled to this many times its capacity, measured at this many points on the way. */
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

/** What the worker says at the end: how many keys the filter denied, and whether it took no more. */
export interface Summary {
  readonly missed: number;
  readonly isFull: boolean;
}

/** What the worker says: a point as the filter fills, and the end. */
export type Finding = { readonly point: Point } | { readonly summary: Summary };

export function countAt(capacity: number, point: number): number {
  return Math.round((OVERFILL * capacity * point) / POINTS);
}
