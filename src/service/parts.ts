import { ActingTokens } from './auth/acting.ts';
import { createCredentials } from './auth/credentials.ts';
import type { Core } from './core.ts';
import { createCommands } from './features/commands/commands.ts';
import { createCommandPermissions } from './features/commands/permissions.ts';
import { createInteractions } from './features/interactions/interactions.ts';
import { createLobbies } from './features/lobbies/lobbies.ts';
import { createAuthorization } from './features/oauth/authorize/authorization.ts';
import { createSigningKeys, openVoiceServer } from './features/oauth/openid/signed-tokens.ts';
import { createDirectMessages } from './features/social/messages/messages.ts';
import { presentActivities } from './features/social/messages/present.ts';
import { createHeadlessSessions } from './features/social/presence/headless.ts';
import { createSettingsEdits } from './features/social/presence/settings.ts';
import { createWithdrawnGames } from './features/social/relationships/hidden.ts';
import { createRelationshipMoves } from './features/social/relationships/moves.ts';
import { createWebhookEvents } from './features/webhooks/events.ts';
import { createGateway, type GatewayParts } from './gateway/gateway.ts';
import type { HttpDeps } from './http/server.ts';
import type { CheckedOptions, Environment } from './open-core.ts';
import type { MaybePromise } from './support/maybe-promise.ts';
import { FaultInjector } from './testing/faults/faults.ts';
import { createFixtures } from './testing/fixtures/fixtures.ts';
import type { RemovalParts } from './testing/removal.ts';

export type Parts = ReturnType<typeof createParts>;

/** Creates what answers requests; each part receives the core and the parts that it uses. */
export function createParts(
  core: Core,
  {
    pendingWork,
    events,
    voiceEndpoint,
    connections,
    hosts,
    cluster,
  }: Pick<Environment, 'events' | 'pendingWork'> &
    Pick<CheckedOptions, 'voiceEndpoint'> &
    Pick<HttpDeps, 'connections' | 'hosts'> & { readonly cluster: GatewayParts['cluster'] | undefined },
) {
  const keys = createSigningKeys(core);
  const voiceServer = voiceEndpoint === undefined ? undefined : openVoiceServer(core, keys, pendingWork, voiceEndpoint);
  const acting = core.activity && new ActingTokens(core);
  const credentials = createCredentials(core, acting);
  const commands = createCommands(core);
  const commandPermissions = createCommandPermissions(core);
  const webhookEvents = createWebhookEvents(core, pendingWork);
  const lobbies = createLobbies(core, { webhookEvents, ...(voiceServer && { voiceServer }) });
  const interactions = createInteractions(core, pendingWork);
  const directMessages = createDirectMessages(core, { webhookEvents, present: presentActivities });
  const relationshipMoves = createRelationshipMoves(core);
  const headlessSessions = createHeadlessSessions(core);
  const settingsEdits = createSettingsEdits(core);
  const authorization = createAuthorization(core, {
    webhookEvents,
    moved: [lobbies, relationshipMoves, directMessages, headlessSessions],
    onDeauthorized: ({ user_id, application_id }) => headlessSessions.endAll(user_id, application_id),
    pendingWork,
    keys,
  });
  const faults = new FaultInjector(core);
  const gateway = createGateway(core, {
    credentials,
    lobbies,
    pendingWork,
    faults,
    connections,
    hosts,
    ...(events && { events }),
    ...(cluster && { cluster }),
  });
  const fixtures = createFixtures(core, {
    commands,
    lobbies,
    relationships: relationshipMoves,
    users: authorization,
    settings: settingsEdits,
  });
  const removalParts: RemovalParts = {
    ...{ lobbies, relationships: relationshipMoves, messages: directMessages, headless: headlessSessions },
    authorizations: authorization,
  };
  const sweeps = createSweeps([
    webhookEvents,
    lobbies,
    interactions,
    directMessages,
    headlessSessions,
    settingsEdits,
    createWithdrawnGames(core, pendingWork),
    authorization,
    authorization.provisional,
  ]);
  return {
    ...{
      pendingWork,
      acting,
      credentials,
      commands,
      commandPermissions,
      lobbies,
      interactions,
      directMessages,
      headlessSessions,
      settingsEdits,
    },
    ...{ authorization, gateway, fixtures, faults, removalParts, sweeps },
  };
}

/** Periodic work on what the store holds, such as deleting what has expired. */
interface Sweep {
  start(): MaybePromise<() => MaybePromise<unknown>>;
}

/** Starts and stops all sweeps, one call after another, and the sweeps together. They restart when the state was replaced, because they keep the next due time. */
function createSweeps(sweeps: readonly Sweep[]) {
  let stops: (() => MaybePromise<unknown>)[] = [];
  let last: Promise<void> = Promise.resolve();

  function inOrder(change: () => Promise<void>): Promise<void> {
    const done = last.then(change);
    last = done.catch(() => {});
    return done;
  }

  async function stopAll(): Promise<void> {
    const running = stops;
    stops = [];
    await Promise.all(running.map(stop => stop()));
  }

  return {
    stop: () => inOrder(stopAll),
    restart: () =>
      inOrder(async () => {
        await stopAll();
        await Promise.all(
          sweeps.map(async sweep => {
            stops.push(await sweep.start());
          }),
        );
      }),
  };
}
