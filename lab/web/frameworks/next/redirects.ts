const targets = new Map([
  ['/blog/ada', '/blog/lovelace'],
  ['/blog/café', '/blog/bar'],
]);

export const findTarget = async (path: string) => targets.get(path);
