// The one address of a release: that of the repository. The site's address follows from it. Links name one of the two.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';

/** Placeholders for names that are still to be written. */
const placeholder =
  /placeholder|example|change-?me|^(?:todo|tbd|fixme|x{2,}|foo|bar|me|my-\w+|owner|user|username|account|org|organi[sz]ation|name|host|path|address|url|repo|repository)$|(?:^|[-_.])your(?:[-_.]|$)/i;

/** Hosts that no public machine can have. */
const reserved = /(?:^|\.)(?:localhost|local|test|invalid|internal|example)$/i;

/**
 * Reads the address of a repository or of a site. Returns its URL without `.git` or a slash at its end. Throws an Error
 * whose message says what is wrong. `least` is the least number of names in the path.
 */
export function readAddress(text, { least = 2 } = {}) {
  const refuse = (why) => {
    throw new Error(`the address ${text} ${why}`);
  };
  if (!URL.canParse(text)) refuse('is no URL');
  const { protocol, hostname, pathname, search, hash, username, password, port } = new URL(text);
  if (protocol !== 'https:') refuse('does not begin with https:');
  if (search + hash + username + password + port !== '') refuse('has more than a host and a path');
  const names = pathname.split('/').filter((name) => name !== '');
  const last = names.pop()?.replace(/\.git$/, '');
  if (last) names.push(last);
  if (reserved.test(hostname) || !hostname.includes('.') || isIP(hostname.replace(/^\[|\]$/g, '')))
    refuse('has a host that nobody else reaches');
  const strange = names.find((name) => !/^[\w.-]+$/.test(name));
  if (strange !== undefined) refuse(`has ${strange} in its path, which is no name`);
  const left = [...hostname.split('.').slice(0, -1), ...names].find((name) =>
    placeholder.test(name),
  );
  if (left !== undefined) refuse(`has ${left}, which is a placeholder`);
  if (names.length < least) refuse('names no owner and repository');
  return [`https://${hostname}`, ...names].join('/');
}

/** The address of the repository in a manifest of npm, unchanged. */
export const addressIn = ({ repository }) => repository.url.replace(/^git\+|\.git$/g, '');

/** The address of a repository's site on GitHub Pages; undefined for a repository elsewhere. */
export function siteOf(address) {
  const [, owner, name] = /^https:\/\/github\.com\/([^/]+)\/([^/]+)$/.exec(address) ?? [];
  if (owner === undefined) return undefined;
  const host = `${owner.toLowerCase()}.github.io`;
  return name.toLowerCase() === host ? `https://${host}` : `https://${host}/${name}`;
}

/** Files whose addresses are data. */
const isData = (file) => /^tests\/vectors\/|(?:^|\/)package-lock\.json$/.test(file);

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * The changes if each link to an old address leads to the new one: a Map from a tracked file to its new text. `pairs`
 * are old and new addresses.
 */
export function planLinks(root, pairs) {
  const list = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' });
  const plan = new Map();
  for (const file of list.split('\0').filter((name) => name !== '' && !isData(name))) {
    const before = readFileSync(join(root, file));
    if (before.includes(0)) continue;
    let text = before.toString();
    for (const [from, to] of pairs)
      text = text.replace(new RegExp(`${escaped(from)}(?![\\w-]|\\.(?!git\\b)\\w)`, 'g'), to);
    if (text !== before.toString()) plan.set(file, text);
  }
  return plan;
}
