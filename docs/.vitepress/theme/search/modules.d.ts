/** The texts of a language, as JSON of MiniSearch; made by VitePress. */
declare module '@localSearchIndex' {
  const load: Readonly<Record<string, () => Promise<{ default: string }>>>;
  export default load;
}

declare module 'vitepress/dist/client/theme-default/components/VPLocalSearchBox.vue' {
  import type { Component } from 'vue';

  const box: Component;
  export default box;
}
