// The lists that the extension begins with, by names of yours. A team puts its own here, each as UrlGuard takes it:
// `manifest`, `list`, `publicKeys`, `confirm`, `action`, and `canOverride: false` where nobody shall pass. Lists that the
// options page takes are stored, and stand in the place of these.
export const firstLists = {};
