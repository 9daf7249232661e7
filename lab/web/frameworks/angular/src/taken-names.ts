import { Injectable } from '@angular/core';
import { RibbonFilter } from 'tamis/read';

@Injectable({ providedIn: 'root' })
export class TakenNames {
  #loading: Promise<RibbonFilter> | undefined;

  async has(name: string): Promise<boolean> {
    this.#loading ??= this.#load();
    return (await this.#loading).has(name);
  }

  async #load(): Promise<RibbonFilter> {
    const response = await fetch('taken.tamis');
    if (!response.ok) throw new Error(`taken.tamis answered ${response.status}`);
    return RibbonFilter.fromBytes(await response.arrayBuffer());
  }
}
