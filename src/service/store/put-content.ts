import { ArgumentError } from '../../model/errors/errors.ts';
import type { StoreContent } from './contract.ts';
import { collectionNames } from './keys.ts';
import type { Overlay } from './overlay.ts';

/** Puts the whole content to be loaded. @throws ArgumentError `bad_content`, `bad_record` */
export function putContent(content: StoreContent, records: Overlay): void {
  const unknown = Object.keys(content).find(name => !(collectionNames as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw new ArgumentError(
      'bad_content',
      `The content to load names the collection ${unknown}, which does not exist.`,
    );
  for (const name of collectionNames) {
    const isList = Array.isArray(content[name]) && content[name].every(record => typeof record === 'object' && record);
    if (!isList) throw new ArgumentError('bad_content', `The content to load has no list of ${name}.`);
    for (const record of content[name]) records.put(name, record);
  }
}
