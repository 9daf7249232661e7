// JSON feeds: records with URLs, and the configuration of MetaMask's list.

import type { JsonEvents } from './json.js';
import { addPath, readHost } from './names.js';
import type { FeedFormat, Findings } from './report.js';
import { addRecord, type Table, tables } from './tables.js';

/** The most values that are kept of one field. */
const mostItems = 32;

/** Marks a record whose URL was too long. No field of a feed has the empty name. */
const tooLong = '';

/** Takes every object that has a `url` as a record, at any depth. */
function recordsReader(table: Table, findings: Findings, online: boolean): JsonEvents {
  const wanted = new Set(['url', ...table.known]);
  /** The fields of each enclosing object. */
  const objects: Map<string, string[]>[] = [];
  return {
    open(isArray) {
      if (!isArray) objects.push(new Map());
    },
    string(value, key) {
      const fields = objects.at(-1);
      if (fields === undefined || !wanted.has(key)) return;
      if (value === undefined && key === 'url') fields.set(tooLong, []);
      const items = fields.get(key) ?? [];
      fields.set(key, items);
      if (value !== undefined && items.length < mostItems) items.push(value);
    },
    close(isArray) {
      const fields = isArray ? undefined : objects.pop();
      // An object around the records has none of their fields.
      if (fields === undefined || fields.size === 0) return;
      findings.report.lines++;
      if (fields.has(tooLong)) return findings.skip('too-long', 'a record with a long url');
      const flat = Array.from(fields, ([name, items]) => {
        return [name, name === 'tags' ? items.join() : items.at(-1)];
      });
      addRecord(table, Object.fromEntries(flat), online, findings);
    },
  };
}

/** The kind of each list in the configuration, by its present and its former name. */
const lists: Readonly<Record<string, 'host' | 'path' | 'allow-host' | 'fuzzy' | 'hashed'>> = {
  ...{ blacklist: 'host', blocklist: 'host', blocklistPaths: 'path' },
  ...{ whitelist: 'allow-host', allowlist: 'allow-host' },
  ...{ fuzzylist: 'fuzzy', c2DomainBlocklist: 'hashed' },
};

/** Reads MetaMask's lists: arrays of strings. A host covers its subdomains. */
const metamaskReader = (findings: Findings): JsonEvents => ({
  open() {},
  close() {},
  string(value, key, isItem) {
    if (!isItem) return;
    findings.report.lines++;
    const kind = Object.hasOwn(lists, key) ? lists[key] : undefined;
    if (value === undefined) return findings.skip('too-long', `an entry of ${key.slice(0, 40)}`);
    if (kind === undefined) return findings.skip('not-understood', value);
    if (kind === 'fuzzy' || kind === 'hashed') return findings.skip(kind, value);
    const at = value.indexOf('/');
    const path = at < 0 ? '' : value.slice(at + 1).replace(/\/$/, '');
    const host = readHost(at < 0 ? value : value.slice(0, at), findings);
    if (host === undefined) return;
    if (path === '') findings.add(kind === 'path' ? 'host' : kind, host);
    else if (kind === 'allow-host') findings.skip('not-understood', value);
    else addPath(host, path, value, findings);
  },
});

export type JsonFormat = Extract<FeedFormat, 'urlhaus-json' | 'phishtank-json' | 'metamask'>;

export const jsonReaders: Readonly<
  Record<JsonFormat, (findings: Findings, online: boolean) => JsonEvents>
> = {
  'urlhaus-json': (...rest) => recordsReader(tables.urlhaus, ...rest),
  'phishtank-json': (...rest) => recordsReader(tables.phishtank, ...rest),
  metamask: metamaskReader,
};
