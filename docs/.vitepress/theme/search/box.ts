// VitePress's box of the search. This one says while its index loads, and ranks by `options`. These are no part of the
// configuration, since VitePress makes text of that. Functions would come back by `new Function`, which a policy
// without 'unsafe-eval' refuses.
import index from '@localSearchIndex';
import { dataSymbol, useData } from 'vitepress';
import VPLocalSearchBox from 'vitepress/dist/client/theme-default/components/VPLocalSearchBox.vue';
import { computed, defineComponent, h, provide, ref, Teleport } from 'vue';
import { options } from './options';

export default defineComponent({
  inheritAttrs: false,
  setup(_props, { attrs }) {
    const data = useData();
    const theme = computed(() => ({
      ...data.theme.value,
      search: { provider: 'local', options },
    }));
    provide(dataSymbol, { ...data, theme });

    const status = ref('Loading the index of all pages ...');
    index[data.localeIndex.value]?.().then(
      () => {
        status.value = '';
      },
      () => {
        status.value = 'The index did not load. Close the search, and try again.';
      },
    );
    return () => [
      h(VPLocalSearchBox, attrs),
      h(Teleport, { to: '.VPLocalSearchBox .shell', defer: true }, [
        h('p', { class: 'search-status', role: 'status' }, status.value),
      ]),
    ];
  },
});
