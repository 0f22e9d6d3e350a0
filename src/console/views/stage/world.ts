import type { LobbiesPage, LobbySummary } from '../../../wire/control/lobbies.ts';
import type {
  ApplicationDetails,
  ApplicationsPage,
  GuildSummary,
  GuildsPage,
  UserSummary,
  UsersPage,
} from '../../../wire/control/world.ts';
import type { ControlError } from '../../control/errors.ts';
import { useControl } from '../../control/use-control.ts';

/** Who and what there is to choose from on the stage. */
export interface StageWorld {
  readonly users: readonly UserSummary[];
  readonly applications: readonly ApplicationDetails[];
  readonly guilds: readonly GuildSummary[];
  readonly lobbies: readonly LobbySummary[];
}

export interface LoadedWorld {
  readonly world: StageWorld | undefined;
  readonly error: ControlError | undefined;
  reload(): void;
}

export function useStageWorld(): LoadedWorld {
  const users = useControl<UsersPage>('/users', { query: { limit: 100 }, areas: ['users'] });
  const applications = useControl<ApplicationsPage>('/applications', {
    query: { limit: 100 },
    areas: ['applications', 'sessions'],
  });
  const guilds = useControl<GuildsPage>('/guilds', { query: { limit: 100 }, areas: ['guilds'] });
  const lobbies = useControl<LobbiesPage>('/lobbies', { query: { limit: 50 }, areas: ['lobbies'] });
  const error = users.error ?? applications.error ?? guilds.error ?? lobbies.error;
  const isHere = users.data && applications.data && guilds.data && lobbies.data;
  return {
    world: isHere && {
      users: users.data.users,
      applications: applications.data.applications,
      guilds: guilds.data.guilds,
      lobbies: lobbies.data.lobbies,
    },
    error,
    reload() {
      for (const { reload } of [users, applications, guilds, lobbies]) reload();
    },
  };
}
