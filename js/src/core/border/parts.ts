// Parts that have another name among the readers: the build puts js/src/read/parts.ts in this module's place.

export { filters as hashing } from '../../wasm/parts/filters.js';
export { routes, routes as blockRoutes } from '../../wasm/parts/routes.js';
