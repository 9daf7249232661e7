const targets = new Map([
  ['/blog/ada', '/blog/lovelace'],
  ['/blog/a b', '/blog/bar'],
]);

export const findTarget = async (path: string) => targets.get(path);
