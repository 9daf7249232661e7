// Looks a chosen password up in a list on a static host. The page sends only the range of a file.
import { RemoteFilter } from 'tamis/remote';

const find = (id) => document.getElementById(id);
const count = (value) => value.toLocaleString('en');
const field = find('password');

/** The requests that the host got, in words. */
const asked = [];

function fetchAndNote(url, init) {
  const file = url.split('/').at(-1);
  const range = new Headers(init.headers).get('Range');
  asked.push(range ? `${range.replace('=', ' ')} of ${file}` : file);
  return fetch(url, init);
}

let opening;

/** The list, opened once. After a failure the next look-up tries again. */
function openList() {
  opening ??= RemoteFilter.open('pages/manifest.json', {
    name: 'passwords', // as tamis shard was told: the key may sign other lists too
    // The build writes the key here: it comes with the page, never from the host of the list.
    publicKeys: [PAGES_PUBLIC_KEY],
    fetch: fetchAndNote,
  }).then(
    (list) => {
      showList(list);
      return list;
    },
    (error) => {
      opening = undefined;
      throw error;
    },
  );
  return opening;
}

/** The newest look-up: its password, and the promise of its verdict. */
let newest;

/** 'listed', 'absent', or 'unknown': a failure of any kind is never 'absent'. */
async function lookUp(password) {
  const before = asked.length;
  try {
    const list = await openList();
    return (await list.has(password)) ? 'listed' : 'absent';
  } catch (error) {
    console.info(error.message);
    // Another attempt may succeed.
    newest = undefined;
    return 'unknown';
  } finally {
    showAsked(asked.slice(before));
  }
}

/** The verdict of the password in the field, which it shows; undefined if the user has changed it meanwhile. */
async function checkField() {
  const password = field.value;
  if (newest?.password !== password) newest = { password, verdict: lookUp(password) };
  showVerdict('waiting');
  const verdict = await newest.verdict;
  if (field.value !== password) return undefined;
  showVerdict(verdict);
  return verdict;
}

const words = {
  none: '',
  waiting: 'Looking it up.',
  // A false positive is not breached: hence "probably".
  listed: 'Choose another password: this one is probably on a list of breached ones.',
  absent: 'This password is not on the list of breached passwords.',
  unknown: 'This password could not be checked. Please try again later.',
};

function showVerdict(verdict) {
  find('verdict').textContent = words[verdict];
  find('verdict').dataset.verdict = verdict;
  field.ariaInvalid = String(verdict === 'listed');
}

function showAsked(items) {
  const all = [...new Set(items)].join(', ');
  find('asked').textContent = all
    ? `The host was asked for ${all}.`
    : 'The host was asked for nothing: these bytes are here already.';
}

function showList(list) {
  const { keys, pages } = list.status.manifest;
  const share = count(Math.round(keys / pages));
  find('list').textContent =
    `The list has ${count(keys)} generated passwords in ${pages} pages. ` +
    `About ${share} of them share a page, so the host cannot tell which one you chose.`;
}

// Looks up when the password is chosen, not at each key: the host would get a request for each beginning of it.
field.addEventListener('blur', () => field.value && checkField());
field.addEventListener('input', () => showVerdict('none'));

find('form').addEventListener('submit', async (event) => {
  event.preventDefault();
  find('done').textContent = '';
  const verdict = await checkField();
  if (verdict === 'absent') {
    // Here an app sends the form to its own server, which keeps a hash of the password by Argon2 or the like.
    find('done').textContent = 'Your account would be made now.';
  } else if (verdict !== undefined) {
    field.focus();
  }
});

find('rate').textContent =
  `One good password in ${count(REFUSED_ONE_IN)} is refused as well, and the user chooses another.`;
// The manifest comes while the form is filled in, so that a look-up is one request.
openList().then(
  () => showAsked(asked),
  () => {},
);
