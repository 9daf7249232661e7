/** Texts that get a button, each with its description. */
interface Example {
  readonly label: string;
  readonly text: string;
}

const MESSAGE = `From: claims@mailinator.com

Your wallet was limited. Restore it at myetheerwallet.pw/restore or, if that is
blocked, at https://www.poloniexsign.com:8443/login?from=mail within 24 hours.

See also https://metamask.io/ and https://en.wikipedia.org/wiki/Phishing.`;

export const EXAMPLES = {
  listed: [
    { label: 'myetheerwallet.pw', text: 'https://myetheerwallet.pw/' },
    {
      label: 'the same in disguise',
      text: 'hTTp://metamask.io%2F@Secure.MyEtheer%57allet.PW.:8443/a/../%6cogin#top',
    },
    { label: 'someone@mailinator.com', text: 'someone@mailinator.com' },
  ],
  good: [
    { label: 'metamask.io', text: 'https://metamask.io/' },
    {
      label: 'a page of Wikipedia',
      text: 'https://en.wikipedia.org/wiki/Phishing?action=history',
    },
  ],
  other: [
    { label: 'a mail with links', text: MESSAGE },
    { label: 'listed since phishing 1.1.15', text: 'https://nft-opensea.com/mint/' },
  ],
} as const satisfies Record<string, readonly Example[]>;
