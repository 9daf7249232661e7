// Stands in the place of a page that is on the list. Only this extension can open it: it is no
// web_accessible_resource.

const url = new URLSearchParams(location.search).get('url');
const find = (id) => document.getElementById(id);

find('url').textContent = url;
find('leave').addEventListener('click', () => chrome.tabs.update({ url: 'chrome://newtab/' }));
find('go').addEventListener('click', async () => {
  // For this host alone, and until the browser is closed.
  const { accepted = [] } = await chrome.storage.session.get('accepted');
  await chrome.storage.session.set({ accepted: [...accepted, new URL(url).host] });
  location.replace(url);
});
