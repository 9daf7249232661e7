import { RibbonFilter } from 'tamis';

import { describeRoutes } from './support/routes-suite.js';

describeRoutes('../../../js/src/core/keys', ['pagesOf', 'shardsOf', 'blocksOf'], () =>
  RibbonFilter.from(['ant']).has('ant'),
);
