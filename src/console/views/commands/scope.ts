import type { ApplicationTraits } from '../../../model/application.ts';
import type { Command, CommandInput } from '../../../model/command.ts';
import { bodyOf, type DesiredContext, editOf } from '../../../model/rules/commands/plan/desired.ts';
import type { PlanItem } from '../../../model/rules/commands/plan/plan.ts';
import type { Write } from '../../../model/rules/commands/plan/writes.ts';
import type { GuildId } from '../../../model/snowflake.ts';
import type { CommandScope as ScopeView } from '../../../wire/control/commands.ts';
import type { ApplicationDetails } from '../../../wire/control/world.ts';
import { act } from '../../control/act.ts';

/** The commands of an application: global, or of a guild. */
export interface Scope {
  readonly application: ApplicationDetails;
  /** Undefined: global. */
  readonly guildId: GuildId | undefined;
  readonly commands: readonly Command[];
  readonly createsLeft: number | null;
  readonly traits: ApplicationTraits;
  readonly context: DesiredContext;
}

export function scopeOf(
  application: ApplicationDetails,
  guildId: GuildId | undefined,
  scopes: readonly ScopeView[],
): Scope {
  const found = scopes.find(({ guild_id }) => guild_id === (guildId ?? null));
  const { embedded, discoverable, integration_types } = application;
  const traits = { embedded, discoverable, integration_types };
  return {
    application,
    guildId,
    commands: found?.commands ?? [],
    createsLeft: found?.creates_left ?? null,
    traits,
    context: { scope: guildId === undefined ? 'global' : 'guild', traits },
  };
}

/** The calls that change a scope's commands, as the application's bot; without one, by client credentials. */
export function commandActs({ application, guildId, context }: Scope) {
  const { id, has_bot } = application;
  const as = has_bot
    ? ({ kind: 'bot', application_id: id } as const)
    : ({ kind: 'application', application_id: id, scopes: ['applications.commands.update'] } as const);
  const base =
    guildId === undefined ? `/applications/${id}/commands` : `/applications/${id}/guilds/${guildId}/commands`;
  const acts = {
    create: async (desired: CommandInput) => {
      const { body } = await act({ as, method: 'POST', path: base, body: bodyOf(desired, context) });
      return body as Command;
    },
    edit: async (desired: CommandInput, stored: Command) => {
      const { body } = await act({
        as,
        method: 'PATCH',
        path: `${base}/${stored.id}`,
        body: editOf(desired, context, stored),
      });
      return body as Command;
    },
    delete: async ({ id }: Pick<Command, 'id'>) => void (await act({ as, method: 'DELETE', path: `${base}/${id}` })),
    /** Carries out one call of a plan. */
    write: async (write: Write) => {
      if (write.kind === 'all') await act({ as, method: 'PUT', path: base, body: write.items });
      else await writeOne(write.item);
    },
  };
  const writeOne = async (item: PlanItem) => {
    if (item.action === 'create') await acts.create(item.desired);
    if (item.action === 'edit') await acts.edit(item.desired, item.stored);
    if (item.action === 'delete') await acts.delete(item.stored);
  };
  return acts;
}
