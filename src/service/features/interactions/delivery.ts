import { formatPath } from '../../../model/errors/issue.ts';
import type { Interaction } from '../../../model/interaction.ts';
import type { ApplicationId, InteractionId } from '../../../model/snowflake.ts';
import type { Core } from '../../core.ts';
import { askOutside, type OutsideReply, readJsonReply } from '../../outbound/ask-outside.ts';
import { PrivateAddressError } from '../../outbound/private-address.ts';
import { signedRequest } from '../../outbound/signed-request.ts';
import type { ApplicationRecord } from '../../store/records.ts';
import type { PendingWork } from '../../support/pending-work.ts';
import { RequestError } from '../../support/request-error.ts';
import { serviceLimits } from '../../support/service-limits.ts';

/** An interaction to deliver to the application's server. */
export interface Delivery {
  readonly url: string;
  readonly application: ApplicationRecord;
  readonly interaction: Interaction;
  /** The time until which the first answer is accepted. */
  readonly answerByMs: number;
}

/**
 * Posts interactions, signed, to the servers of applications that have an address for them, and reads the answers:
 * 200 with a callback answers the interaction, 202 announces a callback at the callback endpoint, and anything else
 * fails the interaction immediately. A callback in the body is validated like one at that endpoint.
 *
 * Unspecified: each is posted once, because the user is waiting; one that is in progress when the service stops fails
 * at its deadline.
 *
 * @see docs/spec/interactions.md#delivery-over-http
 */
export interface InteractionDelivery {
  /** Starts a delivery without waiting for it. */
  post(delivery: Delivery): void;
  /** Aborts the deliveries in progress. */
  drop(): void;
}

export interface DeliveryParts {
  /** Accepts a callback. @throws RequestError as the callback endpoint */
  readonly answer: (id: InteractionId, token: string, callback: unknown) => Promise<unknown>;
  /** Fails an interaction that has not been answered. */
  readonly fail: (id: InteractionId) => Promise<void>;
  /** Counts deliveries in progress. */
  readonly pendingWork: PendingWork;
}

/** The headers that identify this service to the application's server. */
export const userAgent = 'Rallypoint-Interactions/1.0';

const outcomes = {
  answered: 'answered',
  /** The server will answer at the callback endpoint. */
  accepted: 'accepted',
  refused: 'refused',
  noAnswer: 'no answer',
  /** Too many deliveries were in progress. */
  dropped: 'dropped',
} as const;

/** The result of a delivery, for the journal. */
interface Outcome {
  readonly outcome: (typeof outcomes)[keyof typeof outcomes];
  readonly status: number | null;
  /** The issues of the callback: code and path. */
  readonly error?: string;
  readonly issues?: readonly string[];
}

export function createInteractionDelivery(
  core: Core,
  { answer, fail, pendingWork }: DeliveryParts,
): InteractionDelivery {
  const { clock, journal, log } = core;
  const underWay = new Map<ApplicationId, number>();
  let life = new AbortController();

  function post(delivery: Delivery): void {
    const { id } = delivery.application;
    const count = underWay.get(id) ?? 0;
    if (count >= serviceLimits.interactionsUnderWayMax) {
      void settle(delivery, { outcome: outcomes.dropped, status: null });
      return;
    }
    underWay.set(id, count + 1);
    void deliver(delivery, life.signal).finally(() => leave(id));
  }

  function leave(id: ApplicationId): void {
    const left = (underWay.get(id) ?? 0) - 1;
    if (left > 0) underWay.set(id, left);
    else underWay.delete(id);
  }

  async function deliver(delivery: Delivery, stop: AbortSignal): Promise<void> {
    const reply = await ask(delivery, stop).catch(error => notAsked(delivery, error));
    if (!stop.aborted) await pendingWork.run(async () => settle(delivery, await take(delivery.interaction, reply)));
  }

  async function ask({ url, application, interaction, answerByMs }: Delivery, stop: AbortSignal) {
    const { headers, ...signed } = signedRequest(core, application, JSON.stringify(interaction));
    const request = { ...signed, headers: { ...headers, 'user-agent': userAgent } };
    const { interactionReplyBytesMax: bytesMax } = serviceLimits;
    const bounds = { kind: 'interaction', ms: answerByMs - clock.now(), bytesMax, signal: stop } as const;
    return askOutside(core, pendingWork, url, request, bounds);
  }

  /** The address is private, or the application's key cannot be read. */
  function notAsked({ application, interaction }: Delivery, error: unknown): Outcome {
    if (error instanceof PrivateAddressError)
      return { outcome: outcomes.refused, status: null, error: 'private_address' };
    log.error({ application: application.id, interaction: interaction.id, error }, 'An interaction could not be sent.');
    return { outcome: outcomes.noAnswer, status: null };
  }

  /** Never throws: an invalid answer is a result, too. */
  async function take({ id, token }: Interaction, reply: OutsideReply | Outcome | undefined): Promise<Outcome> {
    if (!reply) return { outcome: outcomes.noAnswer, status: null };
    if ('outcome' in reply) return reply;
    const { status } = reply;
    if (status === 202) return { outcome: outcomes.accepted, status };
    if (status !== 200) return { outcome: outcomes.refused, status };
    try {
      await answer(id, token, readJsonReply(reply));
      return { outcome: outcomes.answered, status };
    } catch (error) {
      if (!(error instanceof RequestError)) log.error({ interaction: id, error }, 'An answer could not be processed.');
      return { outcome: outcomes.refused, status, ...describe(error) };
    }
  }

  async function settle({ application, interaction }: Delivery, outcome: Outcome): Promise<void> {
    const entry = { event: 'INTERACTION_CREATE', application: application.id, interaction: interaction.id, ...outcome };
    journal.write('delivery', entry);
    if (outcome.outcome === outcomes.answered || outcome.outcome === outcomes.accepted) return;
    log.warn(entry, "An application's server did not answer an interaction.");
    await fail(interaction.id).catch(error => log.error({ error }, 'An interaction could not be marked as failed.'));
  }

  return {
    post,
    drop() {
      life.abort();
      life = new AbortController();
    },
  };
}

/** Codes and paths only: a message may quote what was sent. */
function describe(error: unknown): Pick<Outcome, 'error' | 'issues'> {
  if (!(error instanceof RequestError)) return { error: 'internal_error' };
  const issues = error.issues.map(({ path, code }) => `${formatPath(path)}: ${code}`);
  return { error: error.reason, ...(issues.length > 0 && { issues }) };
}
