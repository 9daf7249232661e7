import { RibbonFilter as Builder } from 'tamis';
import { RibbonFilter } from 'tamis/read';

import { describeRoutes } from '../js/support/routes-suite.js';

// Where the build has put the readers' runtime in.
describeRoutes('../../../dist/read/core/keys', ['shardsOf', 'blocksOf'], () =>
  RibbonFilter.fromBytes(Builder.from(['ant']).toBytes()).has('ant'),
);
