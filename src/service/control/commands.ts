import type { Command } from '../../model/command.ts';
import { integrationTypes, interactionContexts } from '../../model/command.ts';
import { permissionBits } from '../../model/guild.ts';
import { isInstalledBy, isOfferedIn } from '../../model/rules/commands/offered.ts';
import { explain } from '../../model/rules/permissions/explain.ts';
import { memberPlace } from '../../model/rules/permissions/member-place.ts';
import type { PermitStep } from '../../model/rules/permissions/permit.ts';
import { compareSnowflakes, snowflakeTimeMs } from '../../model/snowflake.ts';
import type {
  CommandScope,
  CommandsAnswer,
  CommandVersionsAnswer,
  ExplainAnswer,
  ExplainBody,
  ExplainedStep,
} from '../../wire/control/commands.ts';
import type { Core } from '../core.ts';
import { overwriteLayers } from '../features/commands/overwrites.ts';
import { commandsOf } from '../features/commands/records.ts';
import { showCommand } from '../features/commands/view.ts';
import { isUserInstalled } from '../features/guilds/installations.ts';
import type { ApplicationRecord, CommandRecord, GuildRecord } from '../store/records.ts';
import { commandScope } from '../store/records.ts';
import { id, nullable, object } from '../support/document-check.ts';
import type { ControlDeps } from './deps.ts';
import { type ControlCall, ControlRefusal, call, notThere, pathId, queryId, read } from './request.ts';

/** Calls that show commands and explain who may use them. What changes them goes through `POST /control/call`. */
export function commandCalls({ core }: ControlDeps): readonly ControlCall[] {
  return [
    call('GET /commands', ({ query }) =>
      listCommands(core, queryId(query, 'application_id'), queryId(query, 'guild_id')),
    ),
    call('GET /commands/{id}/versions', async request => versionsOf(core, pathId(request, 'command'))),
    call('POST /permissions/explain', ({ body }) => explainUse(core, read<ExplainBody>(body, explainBody))),
  ];
}

const guildsMax = 1000;

async function listCommands(
  core: Core,
  applicationId: string | undefined,
  guildId: string | undefined,
): Promise<CommandsAnswer> {
  const { store } = core;
  if (applicationId === undefined) throw new ControlRefusal(400, '"application_id" is required.');
  const application = await store.get('applications', applicationId);
  if (!application) throw notThere('application', applicationId);
  const installations = await store.list('installations', { equals: [applicationId], limit: guildsMax });
  const guildIds = guildId === undefined ? installations.map(one => one.guild_id) : [guildId];
  const scopes = await Promise.all(guildIds.map(one => scopeOf(core, application, one)));
  // A guild without commands says nothing, unless it was asked for.
  const shown = scopes.filter(({ commands }) => commands.length > 0 || guildId !== undefined);
  return {
    application_id: applicationId,
    scopes: guildId === undefined ? [await scopeOf(core, application, undefined), ...shown] : shown,
  };
}

async function scopeOf(core: Core, application: ApplicationRecord, guildId: string | undefined): Promise<CommandScope> {
  const commands = await commandsOf(core.store, application, guildId === undefined ? {} : { guildId });
  const guild = guildId === undefined ? undefined : await core.store.get('guilds', guildId);
  return {
    guild_id: guildId ?? null,
    guild_name: guild?.name ?? null,
    commands: commands.map(command => showCommand(command, 'all')),
    creates_left: await createsLeft(core, commandScope(application.id, guildId)),
  };
}

/** How many commands can be created now. The quota refills steadily: see `takeCreates`. */
async function createsLeft({ store, clock, limits }: Core, scope: string): Promise<number | null> {
  const limit = limits.buckets['command-create'];
  if (!limit) return null;
  const quota = await store.get('command_quotas', scope);
  const usedMs = Math.max(0, (quota?.full_at_ms ?? 0) - clock.now());
  return Math.max(0, Math.floor(((limit.windowMs - usedMs) * limit.requests) / limit.windowMs));
}

async function versionsOf({ store, activity }: Core, commandId: string): Promise<CommandVersionsAnswer> {
  const known = activity?.versions.of(commandId) ?? [];
  const present = await store.get('commands', commandId);
  if (known.length === 0 && !present) throw notThere('command', commandId);
  const versions = known.map(({ atMs, command, cause }, at) => ({
    version: command?.version ?? known[at + 1]?.command?.version ?? commandId,
    at_ms: atMs,
    command: command ? showCommand(command, 'all') : null,
    cause,
  }));
  if (versions.length > 0 || !present) return { versions };
  const { version } = present;
  return {
    versions: [{ version, at_ms: snowflakeTimeMs(version), command: showCommand(present, 'all'), cause: null }],
  };
}

const explainBody = object({ command_id: id, guild_id: id, channel_id: nullable(id), user_id: id }, [
  'command_id',
  'guild_id',
  'user_id',
]);

/** In the order of the evaluation. */
const rules = {
  membership: 'Only members of the guild can use commands there.',
  contexts: 'A command can be used in guilds only if its contexts contain GUILD, and a command of a guild only there.',
  installation: 'The application must be installed where the command says: in the guild, or by the user.',
  age: 'An age-restricted command is for adults, and in a channel only if that is age-restricted as well.',
  administrator: 'The owner and administrators may use every other command.',
  access: 'The member must see the channel and may use application commands there.',
  send: 'What is used on a user asks for the right to send messages.',
  channel: 'An overwrite of the channel, or else of all channels, can deny the command there.',
  member: 'An overwrite of the user, else of its roles, else of @everyone decides.',
  default: 'Without such an overwrite, the default_member_permissions of the command decide.',
} as const satisfies Record<ExplainedStep['step'], string>;

type StepName = ExplainedStep['step'];
const order = Object.keys(rules) as readonly StepName[];

async function explainUse({ store }: Core, question: ExplainBody): Promise<ExplainAnswer> {
  const { command_id, guild_id, user_id } = question;
  const channelId = question.channel_id ?? undefined;
  const record = await store.get('commands', command_id);
  if (!record) throw notThere('command', command_id);
  const guild = await store.get('guilds', guild_id);
  if (!guild) throw notThere('guild', guild_id);
  const user = await store.get('users', user_id);
  if (!user) throw notThere('user', user_id);
  if (channelId !== undefined && !guild.channels.some(channel => channel.id === channelId)) {
    throw notThere(`channel of the guild ${guild_id}`, channelId);
  }
  const member = await store.get('guild_members', guild_id, user_id);
  if (!member) return decidedBy([], 'membership', `The user ${user.username} is no member of the guild.`);
  const passed = [next('membership', `${user.username} is a member.`)];

  if (!isOfferedHere(record, guild)) {
    const reason = record.guild_id === undefined ? 'its contexts do not contain GUILD' : 'it belongs to another guild';
    return decidedBy(passed, 'contexts', `"${record.name}" cannot be used in this guild: ${reason}.`);
  }
  passed.push(next('contexts', `"${record.name}" can be used in this guild.`));

  const isInGuild = guild.applications.includes(record.application_id);
  const isUsers = await isUserInstalled(store, record.application_id, user_id);
  const isInstalled =
    (isInGuild && isInstalledBy(record, integrationTypes.GUILD_INSTALL)) ||
    (isUsers && isInstalledBy(record, integrationTypes.USER_INSTALL));
  if (!isInstalled) {
    const reason = 'The application is installed neither in the guild nor by the user in a way the command is for.';
    return decidedBy(passed, 'installation', reason);
  }
  passed.push(next('installation', isInGuild ? 'It is installed in the guild.' : 'The user has installed it.'));

  const shown = showCommand(record, 'all');
  const person = { user_id, roles: member.roles, adult: user.adult };
  const layers = await overwriteLayers(store, guild_id, record);
  const { permit, reason, allowed } = explain(
    { command: shown, guild, member: person, ...(channelId !== undefined && { channelId }) },
    layers,
  );
  const place = memberPlace(guild, person, channelId);
  const steps = (permit?.steps ?? []).map(step =>
    stepOf(step, step === permit?.decision ? reason : findingOf(step, shown, place?.channel !== undefined)),
  );
  return {
    allowed,
    decided_by: permit?.decision.step ?? 'contexts',
    reason,
    steps: withSkipped([...passed, ...steps]),
  };
}

function isOfferedHere(record: CommandRecord, { id: guildId }: GuildRecord): boolean {
  if (record.guild_id !== undefined && compareSnowflakes(record.guild_id, guildId) !== 0) return false;
  return isOfferedIn(record, interactionContexts.GUILD);
}

function next(step: StepName, finding: string): ExplainedStep {
  return { step, outcome: 'next', rule: rules[step], finding, layer: null, overwrites: [], missing: [] };
}

function decidedBy(passed: readonly ExplainedStep[], step: StepName, reason: string): ExplainAnswer {
  const decision = { ...next(step, reason), outcome: 'deny' as const };
  return { allowed: false, decided_by: step, reason, steps: withSkipped([...passed, decision]) };
}

function withSkipped(steps: readonly ExplainedStep[]): readonly ExplainedStep[] {
  const skipped = order.slice(steps.length).map(step => ({ ...next(step, ''), outcome: 'skipped' as const }));
  return [...steps, ...skipped];
}

function stepOf({ step, outcome, layer, entries = [], missing }: PermitStep, finding: string): ExplainedStep {
  const names = Object.entries(permissionBits).flatMap(([name, bit]) => ((missing ?? 0n) & bit ? [name] : []));
  return { step, outcome, rule: rules[step], finding, layer: layer ?? null, overwrites: entries, missing: names };
}

/** What a step found that left the decision to the following ones. */
function findingOf({ step, entries = [] }: PermitStep, { nsfw }: Command, isInChannel: boolean): string {
  switch (step) {
    case 'age':
      return nsfw ? 'The member is an adult, and the place is right.' : 'The command is not age-restricted.';
    case 'administrator':
      return 'The member is no administrator.';
    case 'access':
      return isInChannel ? 'The member may use commands in the channel.' : 'The member may use commands in the guild.';
    case 'send':
      return 'The member may send messages here, or the command does not ask for it.';
    case 'channel':
      if (!isInChannel) return 'No channel was named.';
      return entries.length > 0 ? 'An overwrite allows the command in the channel.' : 'No overwrite names the channel.';
    case 'member':
      return entries.length > 0
        ? 'An overwrite of the application allows the member, which leaves the decision to the command.'
        : 'No overwrite names the member, its roles or @everyone.';
    case 'default':
      return '';
  }
}
