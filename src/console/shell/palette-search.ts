import { useEffect, useState } from 'preact/hooks';
import type { CommandsAnswer } from '../../wire/control/commands.ts';
import type { LobbiesPage } from '../../wire/control/lobbies.ts';
import type { ApplicationsPage, GuildsPage, UsersPage } from '../../wire/control/world.ts';
import { control } from '../control/client.ts';
import { hrefOf, navigate } from '../router.ts';
import type { Command } from '../ui/commands.ts';
import { words } from '../words/en.ts';

const pauseMs = 200;
const foundMax = 5;
/** Of how many applications the commands are looked through. */
const applicationsMax = 20;

export interface Found extends Command {
  readonly group: string;
}

/** What the service has that is called like the text: applications, commands, guilds, users and lobbies. Empty until it has answered. */
export function useFound(text: string): readonly Found[] {
  const [found, setFound] = useState<readonly Found[]>([]);
  useEffect(() => {
    setFound([]);
    const search = text.trim();
    if (search === '') return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      find(search, abort.signal).then(
        found => abort.signal.aborted || setFound(found),
        () => {},
      );
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text]);
  return found;
}

async function find(search: string, signal: AbortSignal): Promise<readonly Found[]> {
  const name = search.replace(/^[@/#]/, '');
  const list = <Page>(path: string, query: Record<string, string | number>) =>
    control.get<Page>(path, { query, signal });
  const byName = { search: name, limit: foundMax };
  const [{ applications }, { users }, { guilds }, { lobbies }, commands] = await Promise.all([
    list<ApplicationsPage>('/applications', byName),
    list<UsersPage>('/users', byName),
    list<GuildsPage>('/guilds', byName),
    list<LobbiesPage>('/lobbies', byName),
    commandsCalled(name.toLowerCase(), signal),
  ]);
  const { groups } = words.palette;
  return [
    ...commands,
    ...guilds.map(({ id, name }) => entry(groups.guild, id, name, hrefOf('world', ['guilds', id]))),
    ...users.map(({ id, username, global_name }) =>
      entry(groups.user, id, `${global_name ?? username} · @${username}`, hrefOf('world', ['users', id])),
    ),
    ...applications.map(({ id, name }) => entry(groups.application, id, name, hrefOf('world', ['applications', id]))),
    ...lobbies.map(({ id }) => entry(groups.lobby, id, id, hrefOf('lobbies', [id]))),
  ];
}

async function commandsCalled(name: string, signal: AbortSignal): Promise<readonly Found[]> {
  const { applications } = await control.get<ApplicationsPage>('/applications', {
    query: { limit: applicationsMax },
    signal,
  });
  const answers = await Promise.all(
    applications.map(({ id }) => control.get<CommandsAnswer>('/commands', { query: { application_id: id }, signal })),
  );
  return answers
    .flatMap(({ scopes }) =>
      scopes.flatMap(({ guild_id, commands }) => commands.map(command => ({ guild_id, command }))),
    )
    .filter(({ command }) => command.id === name || command.name.toLowerCase().includes(name))
    .slice(0, foundMax)
    .map(({ guild_id, command: { id, application_id, name } }) =>
      entry(
        words.palette.groups.command,
        id,
        name,
        hrefOf('commands', [application_id, guild_id ?? 'global', 'list', id]),
      ),
    );
}

function entry(group: string, id: string, label: string, href: string): Found {
  return { group, id, label, run: () => navigate(href) };
}
