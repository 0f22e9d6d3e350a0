import { isSnowflake } from '../../../model/snowflake.ts';

/** What the search field of the lobbies says, taken apart. */
export interface LobbySearch {
  /** Looked for in ids, metadata and members. */
  readonly text: string;
  /** `application:ID` */
  readonly application: string | undefined;
  /** `member:ID` */
  readonly member: string | undefined;
  /** Words that look like a filter but cannot be one, as they were written. */
  readonly mistakes: readonly string[];
}

const filterNames: Readonly<Record<string, 'application' | 'member'>> = {
  application: 'application',
  app: 'application',
  member: 'member',
};

/**
 * Reads a search: free text, and the filters `application:ID` (or `app:ID`) and `member:ID`. Text in double quotation marks is
 * never a filter.
 */
export function parseLobbySearch(written: string): LobbySearch {
  const found: { application?: string; member?: string } = {};
  const words: string[] = [];
  const mistakes: string[] = [];
  for (const word of written.match(/"[^"]*"?|[^\s"]+/g) ?? []) {
    const [, name = '', value = ''] = /^([a-z]+):(.*)$/.exec(word) ?? [];
    const filter = Object.hasOwn(filterNames, name) ? filterNames[name] : undefined;
    if (!filter) words.push(word.replaceAll('"', ''));
    else if (isSnowflake(value) && found[filter] === undefined) found[filter] = value;
    else mistakes.push(word);
  }
  return {
    text: words.filter(word => word !== '').join(' '),
    application: found.application,
    member: found.member,
    mistakes,
  };
}

/** The written search with one filter set to an id, or taken out. Everything else stays as it was written. */
export function withFilter(written: string, filter: 'application' | 'member', id: string | undefined): string {
  const words = written.match(/"[^"]*"?|[^\s"]+/g) ?? [];
  const kept = words.filter(word => filterNames[/^([a-z]+):/.exec(word)?.[1] ?? ''] !== filter);
  return [...(id === undefined ? [] : [`${filter}:${id}`]), ...kept].join(' ');
}
