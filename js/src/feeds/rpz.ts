// Response policy zones: DNS zone files whose owner names are blocked, in the way that their data say.

import { TamisError } from '../core/errors.js';
import { isSinkhole, readHost } from './names.js';
import type { Findings, LineReader } from './report.js';

/** Quoted text, a parenthesis, a comment, or a word in which a backslash escapes. */
const tokens = /"(?:[^"\\]|\\.)*"|[()]|;.*|(?:[^\s();"\\]|\\.)+/g;
/** The words of a record that matter: owner, TTL, class, type, data. */
const mostWords = 8;

const ttlOrClass = /^(\d+|(\d+[smhdw])+|in|ch|hs)$/i;
const noTrigger = /(^|\.)rpz-(client-ip|ip|nsdname|nsip)$/;

/**
 * Reads a zone. A name that ends in a dot is absolute. Other names are below $ORIGIN, which starts as the zone itself.
 * The file need not give the zone's name; the owner of the SOA record is the zone.
 */
export function rpzReader(findings: Findings): LineReader {
  let origin = '';
  let zone: string | undefined;
  let owner: string | undefined;
  let depth = 0;
  let words: string[] = [];
  let hasOwner = false;
  let last: { host: string; isBlocked: boolean; isExact: boolean; line: number } | undefined;

  const flush = () => {
    if (last === undefined) return;
    const { host, isBlocked, isExact, line } = last;
    findings.add(isBlocked ? 'host' : 'allow-host', host, { line, ...(isExact && { isExact }) });
    last = undefined;
  };

  const wholeName = (name: string) => {
    if (name === '@') return origin;
    return name.endsWith('.') || origin === '' ? name : `${name}.${origin === '.' ? '' : origin}`;
  };

  /** A name relative to the zone; undefined if it lies outside. */
  const toTrigger = (name: string) => {
    if (!name.endsWith('.')) return name;
    if (name === zone) return '';
    return zone !== undefined && name.endsWith(`.${zone}`)
      ? name.slice(0, -zone.length - 1)
      : undefined;
  };

  /** True if a record blocks, false if it excepts; undefined if it gives another answer. */
  const isBlocking = (type: string, data: string, trigger: string): boolean | undefined => {
    if (type === 'a' || type === 'aaaa') return isSinkhole(data) || undefined;
    if (type !== 'cname') return undefined;
    if (/^(\.|\*\.|rpz-drop\.)$/.test(data)) return true;
    // RPZ's first versions used a name that is its own answer.
    return data === 'rpz-passthru.' || data === `${trigger}.` ? false : undefined;
  };

  const take = () => {
    const shown = words.join(' ');
    const lower = words.map((word) => word.toLowerCase());
    words = [];
    const [first = ''] = lower;
    if (first === '$origin' && hasOwner && lower[1]) {
      const name = wholeName(lower[1]);
      // No name is longer, and each $ORIGIN may extend the one before.
      if (name.length > 255) return findings.skip('not-understood', shown);
      origin = name;
      if (origin.endsWith('.')) zone ??= origin;
      findings.report.comments++;
      return;
    }
    if (first === '$ttl' && hasOwner) {
      findings.report.comments++;
      return;
    }
    if (first[0] === '$' && hasOwner) return findings.skip('not-understood', shown);
    if (hasOwner) owner = wholeName(lower.shift() as string);
    while (lower.length > 1 && ttlOrClass.test(lower[0] as string)) lower.shift();
    const [type = '', data = ''] = lower;
    if (owner === undefined) return findings.skip('not-understood', shown);
    if (type === 'soa' || type === 'ns') {
      if (type === 'soa' && owner.endsWith('.')) zone = owner;
      findings.report.comments++;
      return;
    }
    const trigger = toTrigger(owner);
    if (trigger !== undefined && noTrigger.test(trigger)) return findings.skip('ip-trigger', shown);
    const isBlocked = isBlocking(type, data, trigger ?? '');
    if (!trigger || isBlocked === undefined || trigger.includes('\\')) {
      return findings.skip('not-understood', shown);
    }
    if (trigger === '*') return findings.skip('wildcard', shown);
    const isExact = !trigger.startsWith('*.');
    const host = readHost(isExact ? trigger : trigger.slice(2), findings);
    if (host === undefined) return;
    if (last?.host === host && last.isBlocked === isBlocked) {
      // x and *.x become one entry, and so do an A and an AAAA record.
      last.isExact &&= isExact;
      return;
    }
    flush();
    last = { host, isBlocked, isExact, line: findings.report.lines };
  };

  return {
    read(line) {
      const isInside = depth > 0;
      if (!isInside) hasOwner = /^[^\s;()]/.test(line);
      for (const [word] of line.matchAll(tokens)) {
        if (word[0] === ';') break;
        if (word === '(') depth++;
        else if (word === ')') depth = Math.max(0, depth - 1);
        else if (words.length < mostWords) words.push(word);
      }
      if (depth > 0) return;
      if (words.length > 0) take();
      else if (!isInside) findings.report.comments++;
    },
    end() {
      flush();
      if (depth === 0) return;
      throw new TamisError(
        'ERR_TAMIS_TRUNCATED',
        'readFeed: a parenthesis of the zone is open at the end',
      );
    },
  };
}
