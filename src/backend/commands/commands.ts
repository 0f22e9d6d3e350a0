import type { Observable } from 'rxjs/internal/Observable';
import type { ApplicationTraits } from '../../model/application.ts';
import type { Command } from '../../model/command.ts';
import type { Locale } from '../../model/locale.ts';
import { type CommandPlace, type DesiredCommand, traitsUnknown } from '../../model/rules/commands/plan/desired.ts';
import { makePlan } from '../../model/rules/commands/plan/make-plan.ts';
import type { Plan } from '../../model/rules/commands/plan/plan.ts';
import { dropsOverwrites } from '../../model/rules/commands/plan/warnings.ts';
import { type PlacedText, shownTexts } from '../../model/rules/locales/shown-texts.ts';
import type { ApplicationId, GuildId } from '../../model/snowflake.ts';
import { parseOptions } from '../../wire/arguments.ts';
import type { Clock, Logger } from '../../wire/clock/ports.ts';
import { reportError } from '../../wire/error-report.ts';
import { Turns } from '../../wire/turns.ts';
import type { Call, RequestOptions } from '../calls.ts';
import type { Operation, Operations } from '../operation.ts';
import { type CommandCalls, createCommandCalls, scopeOf } from './calls.ts';
import { type DeployOptions, deploy } from './deploy.ts';
import { CommandRegistry, type SyncState } from './registry.ts';

/** The application's commands of one scope: single calls, plans, deploys and streams. */
export interface Commands extends CommandCalls {
  /**
   * Plans how to make `desired` the scope's commands, and writes nothing. Takes definitions from `defineCommand` and plain
   * objects.
   *
   * @throws ValidationError every fault of every definition, its index first in the path
   */
  plan(desired: readonly DesiredCommand[], options?: RequestOptions): Promise<Plan>;
  /**
   * Executes a plan by the fewest calls, waits for rate limits, and continues an interrupted deploy of it. Reads the commands
   * again at the end.
   *
   * @returns the remaining plan, which is in sync
   * @throws ArgumentError `plan_blocked`, `plan_elsewhere`, `plan_outdated`; RallypointError `commands_drifted`; RateLimitError if a
   *   limit lasts longer than `rateLimitWaitMs`
   */
  deploy(plan: Plan, options?: DeployOptions): Promise<Plan>;
  /** What readers of that locale see of every registered command, and why. */
  resolve(locale: Locale, options?: RequestOptions): Promise<ResolvedCommand[]>;
  /** The registered commands as last read or written here, oldest first. Replays; starts with the first read. */
  readonly commands$: Observable<readonly Command[]>;
  /** The state of this object's plans and deploys. Replays, and never errors. */
  readonly sync$: Observable<SyncState>;
}

/** A command as readers of one locale see it. */
export interface ResolvedCommand {
  readonly command: Command;
  /** Names and descriptions, from the command's own down to those of choices. */
  readonly texts: readonly PlacedText[];
}

/** Global commands, and the way to those of a guild. */
export interface GlobalCommands extends Commands {
  /** The commands registered in one guild, of the same shape; the same object for the same guild. */
  inGuild(guildId: GuildId): Commands;
}

/** What commands are made with. */
export interface CommandPorts {
  readonly call: Call;
  readonly operations: Operations;
  /** Of a plan. */
  readonly deadlineMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly applicationId: ApplicationId;
  /** What is known of the application. */
  readonly traits: Partial<ApplicationTraits>;
  /** Which commands have overwrites in a guild; undefined if that is unknown. */
  overwritten(guildId: GuildId, options: RequestOptions): Promise<ReadonlySet<string> | undefined>;
}

/** Everything of one application, with the end of its streams. */
export function createCommands(ports: CommandPorts): { readonly commands: GlobalCommands; close(): void } {
  const registries = new Set<CommandRegistry>();
  const guilds = new Map<GuildId, Commands>();
  const { applicationId } = ports;

  function open(place: CommandPlace): Commands {
    const registry = new CommandRegistry();
    const commands = createScope(ports, place, registry);
    registries.add(registry);
    return commands;
  }

  function inGuild(guildId: GuildId): Commands {
    const commands = guilds.get(guildId) ?? open({ applicationId, guildId });
    guilds.set(guildId, commands);
    return commands;
  }

  return {
    commands: { ...open({ applicationId }), inGuild },
    close() {
      for (const registry of registries) registry.close();
    },
  };
}

function createScope(ports: CommandPorts, place: CommandPlace, registry: CommandRegistry): Commands {
  const { call, operations, deadlineMs, clock, logger, traits } = ports;
  const scope = scopeOf(place);
  const calls = observed(createCommandCalls(call, place, { ...traitsUnknown, ...traits }), registry);
  const turns = new Turns();

  /** Runs plans and deploys one after another. */
  function inTurn(
    defaultMs: number,
    options: RequestOptions | undefined,
    work: (operation: Operation) => Promise<Plan>,
  ): Promise<Plan> {
    return operations.run(defaultMs, options, operation =>
      operation.inTurn(turns, scope, () => shown(() => work(operation))),
    );
  }

  async function makePlanFor(desired: readonly DesiredCommand[], next: () => RequestOptions): Promise<Plan> {
    const stored = await calls.list({ ...next(), withLocalizations: true });
    const context = { scope, traits, place, nowMs: clock.now() };
    const plan = makePlan(stored, desired, context);
    // Asked for only where the answer is worth a warning.
    if (place.guildId === undefined || !plan.items.some(dropsOverwrites)) return plan;
    const overwritten = await ports.overwritten(place.guildId, next());
    return overwritten ? makePlan(stored, desired, { ...context, overwritten }) : plan;
  }

  /** Shows in `sync$` how the work goes and ends. */
  async function shown(work: () => Promise<Plan>): Promise<Plan> {
    try {
      const plan = await work();
      registry.enter(plan.isInSync ? { state: 'inSync', commands: plan.stored } : { state: 'drifted', plan });
      return plan;
    } catch (error) {
      registry.enter({ state: 'failed', error });
      throw error;
    }
  }

  return {
    ...calls,
    commands$: registry.commands$,
    sync$: registry.sync$,
    plan: async (desired, options) =>
      inTurn(deadlineMs, options, operation => {
        registry.enter({ state: 'planning' });
        return makePlanFor(desired, () => operation.next());
      }),
    deploy: async (plan, options) =>
      inTurn(Number.POSITIVE_INFINITY, { signal: parseOptions(options).signal }, operation =>
        deploy(
          plan,
          { place, calls, operation, context: { scope, traits }, plan: makePlanFor },
          {
            ...options,
            onProgress(progress) {
              registry.enter({ state: 'applying', progress });
              // What a callback throws is no reason to stop half-way.
              try {
                options?.onProgress?.(progress);
              } catch (error) {
                logger.error({ error: reportError(error) }, 'an onProgress callback failed');
              }
            },
          },
        ),
      ),
    async resolve(locale, options) {
      const commands = await calls.list({ ...options, withLocalizations: true });
      return commands.map(command => ({ command, texts: shownTexts(command, locale) }));
    },
  };
}

/** The calls, with what they read and write kept in the registry. */
function observed(calls: CommandCalls, registry: CommandRegistry): CommandCalls {
  return {
    ...calls,
    async list(options) {
      const commands = await calls.list(options);
      if (options?.withLocalizations) registry.learn(commands);
      return commands;
    },
    async create(input, options) {
      const created = await calls.create(input, options);
      registry.put(created.command);
      return created;
    },
    async edit(target, edit, options) {
      const command = await calls.edit(target, edit, options);
      registry.put(command);
      return command;
    },
    async delete(id, options) {
      const wasThere = await calls.delete(id, options);
      registry.remove(id);
      return wasThere;
    },
    async replaceAll(items, options) {
      const commands = await calls.replaceAll(items, options);
      registry.learn(commands);
      return commands;
    },
  };
}
