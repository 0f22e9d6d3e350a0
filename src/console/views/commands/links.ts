import { type Command, commandTypes } from '../../../model/command.ts';
import { hrefOf, type RouteQuery } from '../../router.ts';
import type { commandWords } from '../../words/en/commands.ts';

/** `#/commands/<application>/<global or guild>/<tab>/<command>` */
export type Tab = keyof typeof commandWords.tabs;

/** In place of a guild's id. */
export const globalPart = 'global';

export function hrefOfCommands(
  applicationId: string,
  guildId: string | undefined,
  tab: Tab = 'list',
  commandId?: string,
  query: RouteQuery = {},
): string {
  const parts = [applicationId, guildId ?? globalPart, tab, ...(commandId === undefined ? [] : [commandId])];
  return hrefOf('commands', parts, query);
}

/** How players write or read it. */
export function nameOf({ type, name }: Pick<Command, 'type' | 'name'>): string {
  return type === commandTypes.CHAT_INPUT ? `/${name}` : name;
}
