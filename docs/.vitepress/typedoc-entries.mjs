// The pages of the API. Modules have the names of imports, "tamis/read", and not of files, "read/index". The page of a
// class begins with a table of all members, methods first. Inherited members are folded below the class's own.
import { Converter, ReflectionKind } from 'typedoc';
import { MarkdownTheme, MarkdownThemeContext } from 'typedoc-plugin-markdown';

const { Class, Constructor, Interface, Property } = ReflectionKind;

export function load(app) {
  app.renderer.defineTheme('members', MembersTheme);
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const entry of project.children ?? []) {
      const folder = entry.name.replace(/\/?index$/, '');
      entry.name = folder === '' ? 'tamis' : `tamis/${folder}`;
    }
    // No program calls this member: it only names the class in a console.
    for (const member of project.getReflectionsByKind(ReflectionKind.All)) {
      if (member.name === '[toStringTag]') project.removeReflection(member);
    }
  });
}

class MembersTheme extends MarkdownTheme {
  getRenderContext(page) {
    return new MembersContext(this, page, this.application.options);
  }
}

/** Members that have their own part of the page. An interface with only properties is a table already. */
const isTabled = (model) =>
  model.kindOf([Class, Interface]) && model.children?.some((child) => child.kind !== Property);

/** True for an inherited member. A constructor takes this class's arguments, so it counts as the class's own. */
const isInherited = (member) => Boolean(member.inheritedFrom) && member.kind !== Constructor;

/** The text up to the first full stop outside code with a space after it. */
const firstSentence = (text) => /^(?:`[^`]*`|[^`])*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text;

/** The text of a page about a class itself, beside its comment. */
const ABOUT = ['typeParameters', 'typeHierarchy', 'implementedTypes', 'indexSignatures'];
const MEMBERS = ['children', 'groups'];

class MembersContext extends MarkdownThemeContext {
  constructor(...given) {
    super(...given);
    const { memberWithGroups, ...others } = this.partials;
    const write = (model, options) => {
      if (!isTabled(model)) return memberWithGroups(model, options);
      const own = groupsOf(model, (member) => !isInherited(member));
      return [
        memberWithGroups(without(model, [...ABOUT, ...MEMBERS]), options),
        '## Members',
        this.#table(model),
        memberWithGroups(without(model, ['comment', 'signatures', ...MEMBERS]), options),
        this.partials.groups({ groups: own }, { ...options, kind: model.kind }),
        this.#folded(model),
      ].join('\n\n');
    };
    this.partials = { ...others, memberWithGroups: write };
  }

  /** A row for each member: its name, as a link to its part of the page, and its first sentence. */
  #table(model) {
    const rows = model.groups.flatMap(({ children }) => children.map((child) => this.#row(child)));
    return ['| Member | Description |', '| --- | --- |', ...rows].join('\n');
  }

  #row(member) {
    const [signature = member.getSignature ?? member] = member.signatures ?? [];
    const text = this.helpers.getDescriptionForComment(signature.comment ?? member.comment) ?? '';
    const cells = [`[\`${callOf(member)}\`](${this.urlTo(member)})`, firstSentence(text) || '-'];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  }

  #folded(model) {
    const groups = groupsOf(model, isInherited).map(({ title, children }) => ({
      title: `Inherited ${title.toLowerCase()}`,
      children,
    }));
    if (groups.length === 0) return '';
    const total = groups.reduce((sum, { children }) => sum + children.length, 0);
    const count = `${total} inherited member${total === 1 ? '' : 's'}`;
    const parts = this.partials.groups({ groups }, { kind: model.kind, headingLevel: 3 });
    return `## Inherited\n\n<details class="inherited">\n<summary>${count}</summary>\n\n${parts}\n\n</details>`;
  }
}

/** The model without these members. */
const without = (model, names) =>
  Object.create(model, Object.fromEntries(names.map((name) => [name, { value: undefined }])));

/** The groups of a model, with only these members. */
function groupsOf({ groups }, isShown) {
  return groups
    .map((group) => ({ title: group.title, children: group.children.filter(isShown) }))
    .filter(({ children }) => children.length > 0);
}

/** A member as a program writes it: `has()`, `BloomFilter.from()`, `new BloomFilter()`, `count`. */
function callOf(member) {
  const { kind, name, parent, signatures, flags } = member;
  if (kind === Constructor) return `new ${parent.name}()`;
  return `${flags.isStatic ? `${parent.name}.` : ''}${name}${signatures ? '()' : ''}`;
}
