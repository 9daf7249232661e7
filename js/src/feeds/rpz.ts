// Reads response policy zones (RPZ): DNS zone files whose data say whether each owner name is blocked or excepted.

import { TamisError } from '../core/errors.js';
import { isSinkhole, readHost, spell } from './names.js';
import type { Findings, LineReader } from './report.js';

/** Matches quoted text, a parenthesis, a comment, or a word, in which a backslash escapes a character. */
const tokens = /"(?:[^"\\]|\\.)*"|[()]|;.*|(?:[^\s();"\\]|\\.)+/g;
/** The maximum number of words of a record to keep; owner, TTL, class, type and data matter. */
const mostWords = 8;

const ttlOrClass = /^(\d+|(\d+[smhdw])+|in|ch|hs)$/i;
const ipTrigger = /(^|\.)rpz-(client-ip|ip|nsdname|nsip)$/;

/** True if a record blocks its name, false if it excepts the name; undefined if it gives another answer. */
function isBlocking(
  type: string,
  data: string,
  trigger: string,
  findings: Findings,
): boolean | undefined {
  if (type === 'a' || type === 'aaaa') return isSinkhole(data, findings) || undefined;
  if (type !== 'cname') return undefined;
  if (/^(\.|\*\.|rpz-drop\.)$/.test(data) || findings.landing.has(spell(data))) return true;
  // In RPZ's first versions, a CNAME to the name itself excepts the name.
  const isItself = data === `${trigger}.` && trigger[0] !== '*';
  return data === 'rpz-passthru.' || isItself ? false : undefined;
}

/** Returns the absolute name. Relative names are below `origin`: '' before any $ORIGIN, and '.' for the root. */
function toAbsolute(name: string, origin: string): string {
  if (name === '@') return origin;
  if (name.endsWith('.') || origin === '') return name;
  return origin === '.' ? `${name}.` : `${name}.${origin}`;
}

/** Returns the name relative to the zone: '' for the zone itself, undefined for a name outside of it. */
function toRelative(name: string, zone: string | undefined): string | undefined {
  if (!name.endsWith('.')) return name;
  if (name === zone) return '';
  const suffix = zone && `.${zone}`;
  return suffix && name.endsWith(suffix) ? name.slice(0, -suffix.length) : undefined;
}

/** The scope if it is less than a host with its subdomains: the host alone, or the subdomains alone. */
type Scope = 'isExact' | 'isBelow' | undefined;

/** Reads a zone. A name without a dot at its end is below $ORIGIN, which starts as the zone itself. */
export class RpzReader implements LineReader {
  readonly #findings: Findings;
  /** The number of open parentheses, and the words of the record so far. */
  #depth = 0;
  #words: string[] = [];
  /** True if the record starts with a name, not with white space. */
  #hasOwner = false;
  #origin = '';
  /** The zone's own name, which the file may leave out. The owner of the SOA record is the zone. */
  #zone: string | undefined;
  /** The last owner. A record without an owner shares it. */
  #owner: string | undefined;
  /** The last entry, until it is certain that no record widens it. */
  #last: { kind: 'host' | 'allow-host'; host: string; scope: Scope; line: number } | undefined;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  read(line: string): undefined {
    const isContinuation = this.#depth > 0; // of a record in parentheses
    if (!isContinuation) this.#hasOwner = /^[^\s;()]/.test(line);
    for (const [word] of line.matchAll(tokens)) {
      if (word[0] === ';') break;
      if (word === '(') this.#depth++;
      else if (word === ')') this.#depth = Math.max(0, this.#depth - 1);
      else if (this.#words.length < mostWords) this.#words.push(word);
    }
    // A record counts once, at its last line.
    if (this.#depth > 0 || this.#words.length === 0) return this.#findings.comment();
    this.#takeRecord();
    this.#words = [];
  }

  end(): void {
    this.#flush();
    if (this.#depth === 0) return;
    const message = 'readFeed: a parenthesis in the zone is never closed';
    throw new TamisError('ERR_TAMIS_TRUNCATED', message);
  }

  #takeRecord(): undefined {
    const shown = this.#words.join(' ');
    const lower = this.#words.map((word) => word.toLowerCase());
    const [first = ''] = lower;
    const hasOwner = this.#hasOwner;
    if (hasOwner && first.startsWith('$')) return this.#takeDirective(lower, shown);
    if (hasOwner) this.#owner = toAbsolute(first, this.#origin);
    const rest = hasOwner ? lower.slice(1) : lower;
    while (rest.length > 1 && ttlOrClass.test(rest[0] ?? '')) rest.shift();
    const [type = '', data = ''] = rest;
    const owner = this.#owner;
    if (owner === undefined) return this.#findings.skip('not-understood', shown);
    if (type === 'soa' || type === 'ns') {
      if (type === 'soa' && owner.endsWith('.')) this.#zone = owner;
      return this.#findings.comment();
    }
    this.#takeTrigger(toRelative(owner, this.#zone), type, data, shown);
  }

  #takeDirective([name, value]: readonly string[], shown: string): undefined {
    if (name === '$ttl') return this.#findings.comment();
    const origin = name === '$origin' && value ? toAbsolute(value, this.#origin) : undefined;
    // No name is longer. Without a limit, each $ORIGIN could make the name longer.
    if (origin === undefined || origin.length > 255) {
      return this.#findings.skip('not-understood', shown);
    }
    this.#origin = origin;
    if (origin.endsWith('.')) this.#zone ??= origin;
    this.#findings.comment();
  }

  /** Reads a record. `trigger` is the name that it is about: '' for the zone, undefined for a name outside of it. */
  #takeTrigger(trigger: string | undefined, type: string, data: string, shown: string): undefined {
    const findings = this.#findings;
    if (trigger !== undefined && ipTrigger.test(trigger)) return findings.skip('ip-trigger', shown);
    const isBlocked = isBlocking(type, data, trigger ?? '', findings);
    if (!trigger || isBlocked === undefined || trigger.includes('\\')) {
      return findings.skip('not-understood', shown);
    }
    if (trigger === '*') return findings.skip('wildcard', shown);
    const scope: Scope = trigger.startsWith('*.') ? 'isBelow' : 'isExact';
    const host = readHost(scope === 'isExact' ? trigger : trigger.slice(2), findings);
    if (host === undefined) return;
    const kind = isBlocked ? 'host' : 'allow-host';
    if (this.#last?.host === host && this.#last.kind === kind) {
      // x and *.x become one entry, and so do an A and an AAAA record.
      if (this.#last.scope !== scope) this.#last.scope = undefined;
      return findings.comment();
    }
    this.#flush();
    this.#last = { kind, host, scope, line: findings.report.lines };
  }

  #flush(): void {
    if (this.#last === undefined) return;
    const { kind, host, scope, line } = this.#last;
    const rank = kind === 'allow-host' && { precedence: 'nearest' as const };
    this.#findings.recordLine = line;
    this.#findings.add(kind, host, { ...(scope && { [scope]: true }), ...rank });
    this.#findings.recordLine = undefined;
    this.#last = undefined;
  }
}
