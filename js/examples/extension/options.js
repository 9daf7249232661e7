// The state of each list, the lists themselves, and the addresses that the user opened in spite of them.
import { ask, timeText } from './ask.js';

const find = (id) => document.getElementById(id);
const form = find('source');
let lists = {};

function element(tag, content, properties = {}) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...[content].flat());
  return made;
}

const ageText = (ms) => {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 2) return 'a minute';
  if (minutes < 120) return `${minutes} minutes`;
  return minutes < 2880
    ? `${Math.round(minutes / 60)} hours`
    : `${Math.round(minutes / 1440)} days`;
};

/** The state of a list, in one word and in a sentence. */
function stateOf(status) {
  if (status === undefined) return ['missing', 'not opened'];
  const { stale, count, ageMs, source, offline, error } = status;
  const entries = `${count.toLocaleString('en')} ${count === 1 ? 'entry' : 'entries'}`;
  const found = `${entries}, ${ageText(ageMs)} old, from ${source}`;
  const trouble = [error, offline ? 'there is no network' : undefined].filter(Boolean).join('; ');
  const said = trouble && `: ${trouble}`;
  if (!stale) return [trouble ? 'trouble' : 'good', `${found}${said}`];
  return ['missing', `${source === 'none' ? 'no list' : `expired: ${found}`}${said}`];
}

const ACTIONS = { block: 'blocks', warn: 'warns', note: 'notes' };

function showList(name, status) {
  const [state, text] = stateOf(status);
  const { action, canOverride, manifest } = lists[name];
  const title = status?.label ? `${status.label} (${name})` : name;
  const does = `${ACTIONS[action]}${canOverride === false ? ', and nobody passes' : ''}`;
  const remove = element('button', 'Remove', { ariaLabel: `Remove the list ${name}` });
  remove.addEventListener('click', () => {
    const { [name]: _, ...others } = lists;
    act('setLists', { lists: others });
  });
  const lines = [
    element('strong', title),
    element('span', does),
    element('span', text, { className: 'state' }),
    element('small', manifest),
  ];
  const item = element('li', [element('div', lines), remove]);
  item.dataset.state = state;
  return item;
}

const SCOPES = { host: 'the host', site: 'the host and all below it', page: 'this page alone' };

function showOverride(override) {
  const { target, scope, verdict, untilMs } = override;
  const until = untilMs === undefined ? 'for ever' : `until ${timeText(untilMs)}`;
  const remove = element('button', 'Remove', { ariaLabel: `Remove ${target}` });
  remove.addEventListener('click', () => act('removeOverride', { override }));
  const what = `${verdict === 'block' ? 'blocked' : 'open'}: ${SCOPES[scope]}, ${until}`;
  const lines = [element('strong', target), element('span', what)];
  return element('li', [element('div', lines), remove]);
}

async function show() {
  const told = await ask('tellStatus');
  lists = told.lists;
  const names = Object.keys(lists);
  const states = names.map((name) => stateOf(told.status[name])[0]);
  const missing = states.filter((state) => state === 'missing').length;
  const trouble = told.error ?? (names.length === 0 ? 'There is no list: add one.' : undefined);
  const isWhole = trouble === undefined && missing === 0;
  document.body.dataset.state = isWhole ? 'good' : 'missing';
  const held =
    told.held > 0 ? ` The browser itself holds what was found before: ${told.held}.` : '';
  const are = missing === 1 ? 'is' : 'are';
  find('state').textContent =
    trouble ??
    (isWhole
      ? `Pages are checked on this device.${held}`
      : `Of ${names.length} lists ${missing} ${are} missing: no page counts as checked.${held}`);
  find('lists').replaceChildren(...names.map((name) => showList(name, told.status[name])));
  find('overrides').replaceChildren(...told.overrides.map(showOverride));
  find('none').hidden = told.overrides.length > 0;
  find('update').hidden = names.length === 0;
  if (names.length === 0) find('adding').open = true;
}

/** Sends a question to the worker, and shows the result. */
async function act(what, details) {
  document.body.inert = true;
  try {
    await ask(what, details);
    await show();
    return true;
  } catch ({ message }) {
    find('state').textContent = message;
    document.body.dataset.state = 'missing';
    return false;
  } finally {
    document.body.inert = false;
  }
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { ownName, manifest, name, publicKeys, confirm, action, isFinal } = form.elements;
  const added = {
    manifest: manifest.value,
    name: name.value.trim(),
    publicKeys: publicKeys.value.trim().split(/\s+/),
    confirm: confirm.value === '' ? null : confirm.value,
    action: action.value,
    canOverride: !isFinal.checked,
  };
  if (await act('setLists', { lists: { ...lists, [ownName.value]: added } })) {
    form.reset();
    find('adding').open = false;
  }
});
find('update').addEventListener('click', () => act('update'));
document.addEventListener('visibilitychange', () => document.hidden || show().catch(() => {}));

await show();
