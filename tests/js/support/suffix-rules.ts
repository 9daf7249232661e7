/** Rules that use public suffixes. */
import type { PublicSuffixRule } from 'tamis/url';
import { getDomain } from 'tldts';

/** A rule whose public suffixes are all single labels, and co.uk. */
export const smallRule: PublicSuffixRule = {
  name: 'small-psl@1',
  registrableDomain(host) {
    const labels = host.split('.');
    const wanted = /(^|\.)co\.uk$/.test(host) ? 3 : 2;
    return labels.length < wanted ? null : labels.slice(-wanted).join('.');
  },
};

export const wholeRule: PublicSuffixRule = {
  name: 'tldts 7.5.4, with private suffixes',
  registrableDomain: (host) => getDomain(host, { allowPrivateDomains: true }),
};
