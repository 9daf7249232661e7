/** A signed list of hosts, served from memory; see list-server.mjs. */
export interface ListServer {
  readonly url: string;
  /** The name of the list. */
  readonly name: string;
  readonly manifest: string;
  readonly confirm: string;
  readonly publicKey: string;
  readonly asked: string[];
  publish(hosts: readonly string[]): Promise<void>;
  showPages(folder: string): void;
  close(): Promise<void>;
}
export function startListServer(hosts: readonly string[], port?: number): Promise<ListServer>;
