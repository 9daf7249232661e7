/** The answer for a file of the demo. Rejects if the server does not have the file. */
export async function fetchFile(url: string): Promise<Response> {
  const response = await fetch(url);
  if (response.ok) return response;
  throw new Error(`${url.split('/').at(-1)}: the server said ${response.status}`);
}
