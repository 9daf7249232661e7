// The state in a link to this page, behind the # of its address, which is never sent to a server. The page reads it,
// and writes it only when the visitor copies a link.
import type { Job } from './filling';
import { demoFilter } from './filters';

export interface Limits {
  readonly min: number;
  readonly max: number;
}

export const LIMITS = {
  capacity: { min: 100, max: 1_000_000 },
  fpr: { min: 0.0001, max: 0.2 },
} as const;

export const DEFAULTS: Job = { type: '', capacity: 10_000, fpr: 0.01 };

/** The nearest value of two significant digits within the limits, which a slider can show. */
export function snap(value: number, { min, max }: Limits): number {
  return Math.min(max, Math.max(min, Number(value.toPrecision(2))));
}

/** Reads a hash. Missing or senseless values are taken from `fallback`. */
export function readJob(hash: string, fallback: Job): Job {
  const fields = new URLSearchParams(hash.replace(/^#/, ''));
  const number = (name: 'capacity' | 'fpr'): number => {
    const value = Number(fields.get(name) ?? Number.NaN);
    return value > 0 ? snap(value, LIMITS[name]) : fallback[name];
  };
  const { type, option } = demoFilter(fields.get('type') ?? fallback.type);
  const chosen = Number(fields.get('option'));
  return {
    type,
    capacity: number('capacity'),
    fpr: number('fpr'),
    option: option?.choices.includes(chosen) ? chosen : option?.initial,
  };
}

export function linkHash(host: string, { type, capacity, fpr, option }: Job): string {
  const fields = {
    host,
    type,
    capacity: String(capacity),
    fpr: String(fpr),
    ...(option === undefined ? {} : { option: String(option) }),
  };
  return `#${new URLSearchParams(fields)}`;
}
