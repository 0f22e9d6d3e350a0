import type { Server } from 'node:http';
import { VirtualClock } from '../wire/clock/virtual-clock.ts';
import { originOf } from './addresses.ts';
import type { Closing } from './closing.ts';
import { createAskSelf } from './control/ask-self.ts';
import type { ControlDeps } from './control/deps.ts';
import type { Core } from './core.ts';
import { createApplicationEdits } from './domain/accounts/application-edit.ts';
import { createCommandIndexes } from './domain/commands/index-of-user.ts';
import { createGuildDirectory } from './domain/guilds/directory.ts';
import { createGuildLookup } from './domain/guilds/lookup.ts';
import { createRelationships } from './domain/social/relationships/relationships.ts';
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
import type { ServiceOptions } from './options.ts';
import type { Parts } from './parts.ts';
import { applicationRoutes } from './routes/applications.ts';
import { commandIndexRoutes, commandPermissionRoutes, commandRoutes } from './routes/commands.ts';
import { gatewayRoutes } from './routes/gateway.ts';
import { guildRoutes } from './routes/guilds.ts';
import { interactionProofs, interactionRoutes } from './routes/interactions.ts';
import { lobbyRoutes, playerLobbyRoutes } from './routes/lobbies.ts';
import { oauthRoutes, partnerRoutes } from './routes/oauth.ts';
import { openApiRoutes } from './routes/openapi.ts';
import { socialMessageRoutes } from './routes/social-messages.ts';
import { presenceRoutes } from './routes/social-presence.ts';
import { relationshipRoutes } from './routes/social-relationships.ts';
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
