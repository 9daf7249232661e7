// The page of a chat: the source of its list, and the warning about a link that is not safe.
import { UrlChecker } from 'tamis/url';
import { guardLinks } from './guard-links.js';

const find = (id) => document.getElementById(id);

const opening = UrlChecker.open('lists/manifest.json', {
  name: 'bad-hosts', // the publisher's key may sign other lists too
  // The build writes the key here: it comes with the app, never from the host of the list.
  publicKeys: [LIST_PUBLIC_KEY],
  storage: 'indexeddb',
  confirm: 'confirm',
  whenMissing: 'unknown',
  whenUnconfirmed: 'unknown',
});

const words = {
  safe: ['This link is not on the list', 'It took a while to find out.'],
  unsafe: ['This page is on a list of dangerous pages', 'It may try to get at your passwords.'],
  unknown: [
    'Nobody could check this link',
    'It may be good or dangerous: the list, or the server that confirms it, cannot be reached.',
  ],
  // Such a link is neither checked nor opened. An app that wants mailto: or tel: opens those before the check.
  invalid: ['This link leads to no web page', 'It was not opened.'],
};

/** Shows the verdict. Resolves to true if the user wants to open the link. */
function ask(verdict, url) {
  const [title, why] = words[verdict];
  find('title').textContent = title;
  find('why').textContent = why;
  // The target is the real address, whatever the link's text says.
  find('target').textContent = url;
  find('open').hidden = verdict === 'invalid';
  const dialog = find('warning');
  // Escape keeps the return value as it is.
  dialog.returnValue = 'stay';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'open'), { once: true });
  });
}

function showState(checker) {
  const { count, version, stale } = checker.status;
  find('state').textContent = stale
    ? 'There is no list: links are not checked, and each asks first.'
    : `Links are checked here, by a list of ${count} entries (${version}).`;
}

guardLinks(find('messages'), opening, ask);
opening.then(
  (checker) => {
    showState(checker);
    checker.onUpdate(() => showState(checker));
  },
  ({ message }) => {
    find('state').textContent = `Links cannot be checked here, and each asks first: ${message}`;
  },
);
