// Where lists come from: kept in chrome.storage, where the worker finds it.

const form = document.getElementById('source');
const { manifest, list, publicKeys, confirm } = form.elements;

async function showStatus() {
  const status = await chrome.runtime.sendMessage('status');
  const { version, count, source, stale, error } = status ?? { error: 'nothing is set yet' };
  const found =
    stale === false ? `${count} entries, version ${version}, from ${source}` : 'no list';
  const trouble = error === undefined ? '' : `: ${error}`;
  document.getElementById('status').textContent = `${found}${trouble}`;
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const source = {
    manifest: manifest.value,
    list: list.value.trim(),
    publicKeys: publicKeys.value.trim().split(/\s+/),
    confirm: confirm.value,
  };
  await chrome.storage.local.set({ source });
  await showStatus();
});

const { source } = await chrome.storage.local.get('source');
if (source !== undefined) {
  manifest.value = source.manifest;
  list.value = source.list;
  publicKeys.value = source.publicKeys.join(' ');
  confirm.value = source.confirm;
}
await showStatus();
