import { RibbonFilter } from 'tamis/read';

const loading = useStorage('assets:server')
  .getItemRaw<Uint8Array>('taken.tamis')
  .then((bytes) => {
    if (bytes === null) throw new Error('server/assets/taken.tamis is missing');
    return RibbonFilter.fromBytes(bytes);
  });

export default defineEventHandler(async (event) => {
  const { name } = getQuery(event);
  return (await loading).has(String(name));
});
