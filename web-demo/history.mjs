// A real history of a list: the entries of two npm packages, version after version.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

const PHISHING = 'eth-phishing-detect';
const MAIL = 'disposable-email-domains';

/**
 * Each step changes one of the two versions. An empty version names the newest package, which is installed under its
 * own name.
 */
const STEPS = [
  ['1.1.14', '1.0.58'],
  ['1.1.15', '1.0.58'],
  ['1.1.15', '1.0.59'],
  ['1.1.16', '1.0.59'],
  ['1.1.16', ''],
  ['', ''],
];

async function load(name, version, file) {
  const folder = version === '' ? name : `${name}-${version}`;
  const { version: found } = require(`${folder}/package.json`);
  return {
    version: found,
    content: JSON.parse(await readFile(require.resolve(`${folder}/${file}`))),
  };
}

export const steps = STEPS.length;

/** The entries of the list at a step. */
export async function hostsAt(step) {
  const [phishingVersion, mailVersion] = STEPS[step];
  const phishing = await load(PHISHING, phishingVersion, 'src/config.json');
  const mail = await load(MAIL, mailVersion, 'index.json');
  return {
    version: `phishing ${phishing.version}, mail ${mail.version}`,
    hosts: [...phishing.content.blacklist, ...mail.content],
  };
}
