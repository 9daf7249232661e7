// Prepares the tree for a release: writes the address of the repository into package.json and into all links. First it
// checks the needs of a release. If something is missing, it writes nothing.
//
//   npm run release -- [--address URL] [--site URL] [--dry-run]
//
// URL is the address of the repository, such as its page on GitHub; by default the one in package.json. For GitHub, the
// site's address is the one of GitHub Pages. For other hosts, --site sets it. With --dry-run it only checks.
//
//   node js/scripts/release.mjs --tag v1.2.3     checks the same in the workflow of that tag
//
// It makes no commit and no tag: its last lines say how.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { addressIn, planLinks, readAddress, siteOf } from './release/address.mjs';
import {
  checkChangelog,
  checkTag,
  checkTagOf,
  checkTree,
  checkVersions,
  manifestOf,
} from './release/checks.mjs';
import { isProgram, root } from './run.mjs';

/** Reads both addresses, or returns what is wrong with one. */
function readAddresses(manifest, options) {
  const address = readAddress(options.address ?? addressIn(manifest));
  const site =
    options.site === undefined ? siteOf(address) : readAddress(options.site, { least: 0 });
  if (site === undefined) throw new Error('only GitHub has a site for each address: give --site');
  return { address, site };
}

/** The missing needs of a release, as sentences, and the changes that it would write. */
function planRelease(root, options) {
  const manifest = manifestOf(root);
  const problems = [...checkTree(root), ...checkVersions(root), ...checkChangelog(root)];
  try {
    const { address, site } = readAddresses(manifest, options);
    const pairs = [
      [addressIn(manifest), address],
      [manifest.homepage.replace(/\/$/, ''), site],
    ];
    const plan = planLinks(
      root,
      pairs.filter(([from, to]) => from !== to),
    );
    const { tag, env } = options;
    problems.push(...(tag === undefined ? checkTag(root) : checkTagOf(root, tag, address, env)));
    if (tag !== undefined && plan.size > 0) problems.push('links lead to another address');
    return { problems, plan };
  } catch (error) {
    return { problems: [...problems, error.message], plan: new Map() };
  }
}

/**
 * Prepares the repository in `root` for a release, and reports its acts by `log`.
 *
 * @returns the missing needs, as sentences. If there are any, nothing was written.
 */
export function release(root, options, log) {
  const { problems, plan } = planRelease(root, options);
  if (problems.length > 0) return problems;
  const { version } = manifestOf(root);
  if (options['dry-run'] || options.tag !== undefined) {
    for (const file of plan.keys()) log(`release: ${file} would be written`);
    log(`release: ${version} can be released`);
    return [];
  }
  for (const [file, text] of plan) {
    writeFileSync(join(root, file), text);
    log(`release: ${file} is written`);
  }
  if (plan.size > 0) log('release: commit these files, and then:');
  log(`git tag v${version} && git push origin main v${version}`);
  return [];
}

if (isProgram(import.meta)) {
  const { values } = parseArgs({
    options: {
      address: { type: 'string' },
      site: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
      tag: { type: 'string' },
    },
  });
  for (const problem of release(root, { ...values, env: process.env }, console.log)) {
    console.error(`release: ${problem}`);
    process.exitCode = 1;
  }
}
