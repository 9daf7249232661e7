// A figure's state in the query string, under the figure's type: `?bloom=name=Ada&step=3`, escaped.
import type { State } from '../shared/model';

export interface Linked {
  readonly state: State;
  readonly step: number | undefined;
}

/** The state of a figure in a query string. Names that are not in `initial` are ignored. */
export function readLink(search: string, type: string, initial: State): Linked {
  const fields = new URLSearchParams(new URLSearchParams(search).get(type) ?? '');
  const state = { ...initial };
  for (const name of Object.keys(initial))
    state[name] = fields.get(name) ?? (state[name] as string);
  const step = Number(fields.get('step') ?? Number.NaN);
  return { state, step: Number.isInteger(step) && step >= 0 ? step : undefined };
}

/** The query string with the figure's state in it, and all else unchanged. */
export function writeLink(search: string, type: string, state: State, step: number): string {
  const all = new URLSearchParams(search);
  all.set(type, String(new URLSearchParams({ ...state, step: String(step) })));
  return `?${all}`;
}
