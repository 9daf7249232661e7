// The lists of the blocklist example, as the npm packages have them, and the filters made of them.
import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { BloomFilter, RibbonFilter } from 'tamis';
import { readFeed } from 'tamis/feeds';

const require = createRequire(import.meta.url);
const config = 'eth-phishing-detect/src/config.json';
const phishing = require(config);
const disposable = require('disposable-email-domains/index.json');

/** The false-positive rate that the filters are made for. */
export const FPR = 0.01;

/**
 * Each list, with its hosts, and as a feed for a list of URLs. One feed is the configuration that wallets use, and the
 * other has a name on each line. The exceptions of a feed are not listed, and no host below them is.
 */
export const lists = [
  {
    name: 'phishing-hosts',
    title: 'phishing hosts',
    keys: phishing.blacklist,
    openFeed: () => readFeed(createReadStream(require.resolve(config))),
    excepted: new Set(phishing.whitelist),
  },
  {
    name: 'disposable-domains',
    title: 'disposable domains',
    keys: disposable,
    openFeed: () => readFeed(disposable.join('\n')),
    excepted: new Set(),
  },
];

/** Two filters: one takes new hosts, and one is built once and smaller to send. */
export const classes = [BloomFilter, RibbonFilter];

/** The file of a list's filter. */
export const fileOf = (list, Class) => `${list.name}-${Class.name}.tamis`;

/** The file of a list for checks of URLs. */
export const urlFileOf = (list) => `${list.name}-UrlList.tamis`;

/** Hosts that eth-phishing-detect knows to be good, although they look like others. */
export const legitimateHosts = phishing.whitelist;
