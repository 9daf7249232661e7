// The page's state as a link says it, behind the # of its address: that is never sent to a server. The page
// reads it, and writes it only where the visitor copies a link.
import { demoFilter } from './filters';

/** What a link to this page can say. */
export interface PageState {
  readonly host: string;
  readonly type: string;
  readonly capacity: number;
  readonly fpr: number;
  readonly option?: number | undefined;
}

export interface Limits {
  readonly min: number;
  readonly max: number;
}

export const LIMITS = {
  capacity: { min: 100, max: 1_000_000 },
  fpr: { min: 0.0001, max: 0.2 },
} as const;

/** The nearest value of two significant digits inside the limits: what a slider can show. */
export function snap(value: number, { min, max }: Limits): number {
  return Math.min(max, Math.max(min, Number(value.toPrecision(2))));
}

/** Reads a hash; whatever is missing or makes no sense is taken from `fallback`. */
export function readState(hash: string, fallback: PageState): PageState {
  const fields = new URLSearchParams(hash.replace(/^#/, ''));
  const number = (name: 'capacity' | 'fpr'): number => {
    const value = Number(fields.get(name) ?? Number.NaN);
    return value > 0 ? snap(value, LIMITS[name]) : fallback[name];
  };
  const { type, option } = demoFilter(fields.get('type') ?? fallback.type);
  const chosen = Number(fields.get('option'));
  return {
    host: fields.get('host') ?? fallback.host,
    type,
    capacity: number('capacity'),
    fpr: number('fpr'),
    option: option?.choices.includes(chosen) ? chosen : option?.initial,
  };
}

export function stateHash(state: PageState): string {
  const { host, type, capacity, fpr, option } = state;
  const fields = {
    host,
    type,
    capacity: String(capacity),
    fpr: String(fpr),
    ...(option === undefined ? {} : { option: String(option) }),
  };
  return `#${new URLSearchParams(fields)}`;
}
