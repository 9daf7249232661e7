// Questions of the extension's pages to its worker.
export async function ask(what, details) {
  const { answer, error } = await chrome.runtime.sendMessage({ ask: what, ...details });
  if (error !== undefined) throw new Error(error);
  return answer;
}

/** A point in time as text for people. */
export const timeText = (ms) =>
  new Date(ms).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
