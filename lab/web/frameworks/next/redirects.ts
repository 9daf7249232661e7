const targets = new Map([['/blog/ada', '/blog/lovelace']]);

export const findTarget = async (path: string) => targets.get(path);
