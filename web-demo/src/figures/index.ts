// <tamis-figure type="bloom">: figures that are drawn from the bytes of real filters. Each type is a module of its own,
// which is fetched when the figure comes into view.
import { defineElement } from './element/element';
import type { FigureData, FigureType } from './shared/model';

const types: Readonly<Record<string, () => Promise<{ readonly figure: FigureType }>>> = {
  bloom: () => import('./bloom/figure'),
  cuckoo: () => import('./cuckoo/figure'),
  blocked: () => import('./blocked/figure'),
  'binary-fuse': () => import('./binary-fuse/figure'),
  url: () => import('./url/figure'),
};

/** The types that the element knows, in the order of the pages. */
export const figureTypes: readonly string[] = Object.keys(types);

/** A view of the Bloom filter alone, for the home page of the site. */
const falsePositive = () => import('./bloom/false-positive');

/** Defines the element. `data` has the addresses of the data that the figures do not build themselves. */
export function defineFigures(data: FigureData): void {
  defineElement({ ...types, 'false-positive': falsePositive }, data);
}
