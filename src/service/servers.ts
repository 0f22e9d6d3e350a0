import type { Server } from 'node:http';
import { VirtualClock } from '../wire/clock/virtual-clock.ts';
import { originOf } from './addresses.ts';
import type { Closing } from './closing.ts';
import { createAskSelf } from './control/ask-self.ts';
import type { ControlDeps } from './control/deps.ts';
import type { Core } from './core.ts';
import { createApplicationEdits } from './features/accounts/application-edit.ts';
import { applicationRoutes } from './features/accounts/routes.ts';
import { createCommandIndexes } from './features/commands/index-of-user.ts';
import { commandIndexRoutes, commandPermissionRoutes, commandRoutes } from './features/commands/routes.ts';
import { createGuildDirectory } from './features/guilds/directory.ts';
import { createGuildLookup } from './features/guilds/lookup.ts';
import { guildRoutes } from './features/guilds/routes.ts';
import { interactionProofs, interactionRoutes } from './features/interactions/routes.ts';
import { lobbyRoutes, playerLobbyRoutes } from './features/lobbies/routes.ts';
import { oauthRoutes, partnerRoutes } from './features/oauth/routes.ts';
import { socialMessageRoutes } from './features/social/messages/routes.ts';
import { presenceRoutes } from './features/social/presence/routes.ts';
import { createRelationships } from './features/social/relationships/relationships.ts';
import { relationshipRoutes } from './features/social/relationships/routes.ts';
import { gatewayRoutes } from './gateway/routes.ts';
import { Connections } from './http/connections.ts';
import {
  createEndpoints,
  createOperatorsListener,
  type Endpoints,
  type OperatorsListener,
  openOperatorsServer,
} from './http/operators.ts';
import { createHeldBodies, createHttpServer, type HttpDeps } from './http/server.ts';
import { advanceClock, type CheckedOptions, type Environment } from './open-core.ts';
import { openApiRoutes } from './openapi/routes.ts';
import type { ServiceOptions } from './options.ts';
import type { Parts } from './parts.ts';
import { createLateSite } from './web/late-site.ts';

/**
 * Creates the endpoints for operators. With a port of their own they answer from here on; otherwise the service's own port serves
 * them, by the listener that is returned as `operators`.
 */
export async function openOperators(
  { opsPort: port }: ServiceOptions,
  {
    hosts,
    requestIds,
    host,
    trustedProxies,
    ...environment
  }: Environment & CheckedOptions & Pick<HttpDeps, 'hosts' | 'requestIds'>,
  closing: Closing,
): Promise<{ endpoints: Endpoints; operators?: OperatorsListener; opsBase?: string }> {
  const { metrics, readiness, clock, log } = environment;
  metrics.watch({ isReady: () => readiness.reasons.length === 0, clockMs: () => clock.now() });
  const endpoints = createEndpoints(metrics, readiness);
  const operators = createOperatorsListener({ endpoints, hosts, log });
  if (port === undefined) return { endpoints, operators };
  // Bounds of its own, so that unauthenticated connections to the API cannot keep probes away.
  const connections = new Connections(environment, trustedProxies);
  const { server, close } = await openOperatorsServer({
    ...{ listener: operators, requestIds, connections, host, port, log },
  });
  closing.push(close);
  return { endpoints, opsBase: originOf(server, host) };
}

/** The HTTP server with everything behind it: the API, the pages and the control API. */
export function createApiServer(
  core: Core,
  parts: Parts,
  {
    signIn,
    addressOf,
    drain,
    connections,
    hosts,
    operators,
    requestIds,
    requestLog,
    origin,
    ...control
  }: Pick<CheckedOptions, 'signIn'> &
    Pick<HttpDeps, 'addressOf' | 'connections' | 'hosts' | 'drain' | 'operators' | 'requestIds' | 'requestLog'> &
    Pick<
      ControlDeps,
      'controlToken' | 'stateReplaced' | 'startedAtMs' | 'readiness' | 'hasVoice' | 'isPublic' | 'onStop'
    > & {
      /** The origin where the service listens. */
      readonly origin: () => string;
    },
): { readonly server: Server; readonly site: { close(): Promise<void> } } {
  const { pendingWork, credentials, commands, commandPermissions, lobbies, interactions } = parts;
  const { authorization, gateway, fixtures, faults } = parts;
  const handlers = {
    ...commandRoutes(commands),
    ...commandPermissionRoutes(commandPermissions),
    ...commandIndexRoutes(createCommandIndexes(core)),
    ...lobbyRoutes(lobbies),
    ...playerLobbyRoutes(lobbies),
    ...guildRoutes(createGuildDirectory(core), createGuildLookup(core), authorization),
    ...interactionRoutes(interactions),
    ...applicationRoutes(createApplicationEdits(core, pendingWork), authorization),
    ...oauthRoutes(authorization),
    ...partnerRoutes(authorization.provisional),
    ...socialMessageRoutes(parts.directMessages),
    ...gatewayRoutes(core, gateway),
    ...openApiRoutes(core),
    ...presenceRoutes(core, parts.headlessSessions, parts.settingsEdits),
    ...relationshipRoutes(core.store, createRelationships(core)),
  };
  const held = createHeldBodies(core);
  const site = createLateSite(core, {
    ...{ authorization, pendingWork, signIn, addressOf, files: interactions.files, held: held.unproven },
    control: {
      ...{
        core,
        fixtures,
        faults,
        removalParts: parts.removalParts,
        gateway,
        signIn,
        acting: parts.acting,
        ...control,
      },
      controlBase: () => `${origin()}/control`,
      askSelf: createAskSelf(origin),
      endAuthorization: id => authorization.endAuthorization(id),
      ...(core.clock instanceof VirtualClock ? { advance: (ms: number) => advanceClock(core, ms) } : {}),
      decide: decision => authorization.decide(decision),
      endUserTokens: userId => authorization.endUserTokens(userId),
      decideDevice: decision => authorization.device.decide(decision),
    },
  });
  const server = createHttpServer(core, {
    ...{ credentials, handlers, pendingWork, faults, addressOf, connections, hosts, site: site.serve, drain },
    ...{ operators, requestIds, requestLog, held },
    proofs: interactionProofs(interactions),
  });
  return { server, site };
}
