// The lists of the blocklist example, as the npm packages have them.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const phishing = require('eth-phishing-detect/src/config.json');
const disposable = require('disposable-email-domains/index.json');

/** The false-positive rate that both filters are asked for. */
export const FPR = 0.01;

export const lists = [
  { name: 'phishing-hosts', title: 'phishing hosts', keys: phishing.blacklist },
  { name: 'disposable-domains', title: 'disposable domains', keys: disposable },
];

/** Hosts that eth-phishing-detect knows to be good, for all that they look like others. */
export const legitimateHosts = phishing.whitelist;
