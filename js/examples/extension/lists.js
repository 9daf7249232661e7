// The first lists of the extension, by names that you choose. A team puts its own here, with the options of UrlGuard:
// `manifest`, `name`, `publicKeys`, `confirm`, `action`, and `canOverride: false` if no user may pass. The options page
// stores its lists, which replace these.
export const firstLists = {};
