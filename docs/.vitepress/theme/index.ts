import 'virtual:tokens.css';
import './style.css';
import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';

export default { extends: DefaultTheme } satisfies Theme;
