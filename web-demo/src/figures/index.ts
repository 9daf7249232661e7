// <tamis-figure type="bloom">: figures that are drawn from the bytes of real filters. Each type is a module
// of its own, which is fetched when the figure comes into view.
import { defineElement } from './element';
import type { FigureData, FigureType } from './model';

const types: Readonly<Record<string, () => Promise<{ readonly figure: FigureType }>>> = {
  bloom: () => import('./bloom'),
  cuckoo: () => import('./cuckoo'),
  counting: () => import('./counting'),
  blocked: () => import('./blocked'),
  rotating: () => import('./rotating'),
  scalable: () => import('./scalable'),
  ribbon: () => import('./ribbon'),
  'binary-fuse': () => import('./binary-fuse'),
  iblt: () => import('./iblt'),
  exact: () => import('./exact'),
  bloomier: () => import('./bloomier'),
  deletable: () => import('./deletable'),
  tombstone: () => import('./tombstone'),
  'd-left': () => import('./d-left'),
  url: () => import('./url'),
};

/** The types that the element knows, in the order of the pages. */
export const figureTypes: readonly string[] = Object.keys(types);

/** Defines the element. `data` says where the figures find what they do not build themselves. */
export function defineFigures(data: FigureData): void {
  defineElement(types, data);
}
