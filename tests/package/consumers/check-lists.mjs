// The life of a list from its build to an update, by nothing but tamis/url, which is a parameter.
export async function checkLists({
  createConfirmHandler,
  memoryStorage,
  publishList,
  UrlChecker,
  UrlListBuilder,
}) {
  const keys = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);
  const storage = memoryStorage();
  const publish = async (host) => {
    const builder = new UrlListBuilder().addHosts([host, 'evil.example']);
    await publishList(builder.build(), { name: 'phish', storage, signingKeys: keys });
    return builder;
  };
  const { fullHashes } = await publish('old.example');
  const confirm = createConfirmHandler(fullHashes, { cacheSeconds: 300, negativeSeconds: 1800 });
  const checker = await UrlChecker.open('https://lists.example/manifest.json', {
    name: 'phish',
    publicKeys: [keys.publicKey],
    storage: 'memory',
    confirm: 'https://lists.example/confirm',
    whenMissing: 'throw',
    whenUnconfirmed: 'throw',
    updateEveryMs: 0,
    fetch: async (url, init) =>
      init?.method === 'POST'
        ? confirm(new Request(url, init))
        : new Response(await storage.get(url.split('/').at(-1))),
  });
  const pages = ['http://old.example/', 'http://new.example/'];
  const words = checker.checkMany([...pages, 'mailto:a@b.example']);
  const verdicts = [];
  for (const page of pages) verdicts.push((await checker.verify(page)).verdict);
  await publish('new.example');
  await checker.update();
  const after = checker.checkMany(pages);
  checker.close();
  return { words, verdicts, after };
}
