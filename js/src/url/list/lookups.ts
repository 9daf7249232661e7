// The look-ups for a text: the expressions of each URL that it may lead to.

import { raw, readRangesAsText } from '../../core/border/memory.js';
import { call } from '../../core/border/runtime.js';
import { check } from '../../core/statuses.js';
import { ifCanonical, makeCanonical, readParts } from './canonicalize.js';
import {
  allShapes,
  folderShapes,
  type HostRule,
  hashExpression,
  prepare,
  shapeBitOf,
} from './expressions.js';
import { readingsOf, writtenFolders } from './readings.js';

/** An expression that a list may contain. */
export interface UrlHit {
  readonly expression: string;
  /** Its SHA-256, 32 bytes. A list stores the first bytes. */
  readonly hash: Uint8Array;
}

/**
 * Calls `ask` for each URL that a text may lead to, while that URL is canonical in the core. Returns true if the text
 * is safe when no list has any of the expressions.
 */
export function lookUp(
  url: string,
  rule: HostRule,
  ask: (registrable: number, shapes: number) => void,
): boolean {
  const { texts, isSure } = readingsOf(url);
  let isSafe = isSure;
  for (const text of texts) {
    const isCanonical = ifCanonical(() => {
      const registrable = prepare(text, rule, !isSure);
      ask(registrable, allShapes);
      for (const folder of writtenFolders(text)) {
        makeCanonical(folder, !isSure);
        const [, expression = ''] = readParts().text.split('://');
        ask(registrable, folderShapes & shapeBitOf(expression));
      }
      return true;
    });
    if (!isCanonical) isSafe = false;
  }
  return isSafe;
}

/** All expressions of a text, each once. `isSafe` is true if the text is safe when no list has them. */
export function lookupsOf(url: string, rule: HostRule): { lookups: UrlHit[]; isSafe: boolean } {
  const all = new Set<string>();
  const isSafe = lookUp(url, rule, (registrable, shapes) => {
    const count = call(() => raw._tamis_url_expressions(registrable));
    check(count);
    for (const expression of readRangesAsText(count)) {
      if (shapes & shapeBitOf(expression)) all.add(expression);
    }
  });
  const lookups = Array.from(all, (expression) => ({
    expression,
    hash: hashExpression(expression),
  }));
  return { lookups, isSafe };
}
