// From prefixes to a list, for which the wasm has a part of its own.

import { own, statusAddress, withMemory, write } from '../../core/border/memory.js';
import { call, coreWith } from '../../core/border/runtime.js';
import { adopt } from '../../core/structures/definition.js';
import { urlBuild } from '../../wasm/parts/url-build.js';
import { type HostRule, nameOfRule } from './expressions.js';
import { UrlList } from './url-list.js';

/** The list of sorted prefixes of `prefixBytes` each, of expressions of these shapes. */
export function buildList(
  prefixes: Uint8Array,
  prefixBytes: number,
  rule: HostRule,
  shapes: number,
): UrlList {
  // ASCII, as its reader has checked.
  const name = Uint8Array.from(nameOfRule(rule), (letter) => letter.charCodeAt(0));
  const { length } = prefixes;
  coreWith(urlBuild);
  return withMemory(length + name.length, (address) => {
    const nameAddress = address + length;
    write(address, length, prefixes);
    write(nameAddress, name.length, name);
    const handle = call((core) =>
      core.urlListBuild(
        address,
        length,
        prefixBytes,
        nameAddress,
        name.length,
        shapes,
        statusAddress,
      ),
    );
    return adopt(UrlList, own(handle), rule);
  });
}
