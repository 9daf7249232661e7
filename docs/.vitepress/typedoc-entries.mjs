// Names the modules of the API as an import names them: "tamis/read", and not the file "read/index".
import { Converter } from 'typedoc';

export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const entry of project.children ?? []) {
      const folder = entry.name.replace(/\/?index$/, '');
      entry.name = folder === '' ? 'tamis' : `tamis/${folder}`;
    }
  });
}
