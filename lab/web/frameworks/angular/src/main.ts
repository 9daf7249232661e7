import { Component, inject, provideZonelessChangeDetection } from '@angular/core';
import { bootstrapApplication } from '@angular/platform-browser';
import { TakenNames } from './taken-names';

@Component({ selector: 'app-root', template: '' })
class App {
  constructor() {
    const names = inject(TakenNames);
    const answers = Promise.all(['ada', 'zoe'].map((name) => names.has(name)));
    answers.then((outcome) => Object.assign(globalThis, { outcome }));
  }
}

bootstrapApplication(App, { providers: [provideZonelessChangeDetection()] });
