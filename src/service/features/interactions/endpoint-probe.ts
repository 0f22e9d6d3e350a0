import { callbackTypes, interactionTypes, type PingInteraction } from '../../../model/interaction.ts';
import { limits } from '../../../model/limits/limits.ts';
import { asRecord } from '../../../wire/http/codec.ts';
import { signatureHeaders } from '../../../wire/signature.ts';
import type { Core } from '../../core.ts';
import { askOutside, type OutsideReply, readJsonReply } from '../../outbound/ask-outside.ts';
import { signedRequest } from '../../outbound/signed-request.ts';
import type { ApplicationRecord } from '../../store/records.ts';
import type { PendingWork } from '../../support/pending-work.ts';
import { serviceLimits } from '../../support/service-limits.ts';
import { userAgent } from './delivery.ts';
import { createInteractionToken } from './records.ts';

/** Whether the server at `url` may be sent the application's interactions. */
export type EndpointProbe = (application: ApplicationRecord, url: string) => Promise<boolean>;

/**
 * Probes an address: it must answer a PING with a PONG, and the same PING with an invalid signature with 401.
 *
 * Unspecified: the address is probed when an application sets it and not again later, so that no developer's server
 * loses its address because of a pause at a breakpoint.
 *
 * @see docs/spec/interactions.md#delivery-over-http
 */
export function createEndpointProbe(core: Core, pendingWork: PendingWork): EndpointProbe {
  const bounds = {
    kind: 'endpoint_probe',
    ms: limits.interactionAnswerMs,
    bytesMax: serviceLimits.interactionReplyBytesMax,
  } as const;

  function ask(application: ApplicationRecord, url: string, forged: Readonly<Record<string, string>> = {}) {
    const { headers, ...signed } = signedRequest(core, application, JSON.stringify(pingOf(core, application)));
    const request = { ...signed, headers: { ...headers, 'user-agent': userAgent, ...forged } };
    return askOutside(core, pendingWork, url, request, bounds);
  }

  return async (application, url) => {
    if (!isPong(await ask(application, url))) return false;
    const signature = Buffer.from(core.entropy.bytes(signatureBytes)).toString('hex');
    const refused = await ask(application, url, { [signatureHeaders.signature]: signature });
    return refused?.status === 401;
  };
}

const signatureBytes = 64;

function isPong(reply: OutsideReply | undefined): boolean {
  return reply?.status === 200 && asRecord(readJsonReply(reply))?.type === callbackTypes.PONG;
}

function pingOf({ ids, entropy }: Core, { id: application_id }: ApplicationRecord): PingInteraction {
  const id = ids.next();
  return {
    id,
    application_id,
    type: interactionTypes.PING,
    token: createInteractionToken(entropy, id),
    version: 1,
    app_permissions: '0',
    entitlements: [],
    authorizing_integration_owners: {},
    attachment_size_limit: limits.attachmentBytesMax,
  };
}
