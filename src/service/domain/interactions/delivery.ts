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

/** An interaction on its way to the application's server. */
export interface Delivery {
  readonly url: string;
  readonly application: ApplicationRecord;
  readonly interaction: Interaction;
  /** Until when the first answer is taken. */
  readonly answerByMs: number;
}

/**
 * Posts interactions, signed, to the servers of applications that have an address for them, and takes what they say in
 * their HTTP answer: 200 with a callback answers the interaction, 202 promises one by the callback endpoint, and
 * anything else fails it at once. An answer in the body is judged as one by that endpoint.
 *
 * Our choice: each is posted once, because the user waits; what is under way when the service stops fails in its time.
 *
 * @see docs/spec/interactions.md#delivery-over-http
 */
export interface InteractionDelivery {
  /** Waits for nothing. */
  post(delivery: Delivery): void;
  /** Breaks off what is under way. */
  drop(): void;
}

export interface DeliveryParts {
  /** Takes a callback. @throws RequestError as the callback endpoint */
  readonly answer: (id: InteractionId, token: string, callback: unknown) => Promise<unknown>;
  /** Ends an interaction that nobody has answered, and no other. */
  readonly fail: (id: InteractionId) => Promise<void>;
  /** Counts what is under way. */
  readonly pendingWork: PendingWork;
}

/** Says to the application's server who asks. */
export const userAgent = 'Rallypoint-Interactions/1.0';

const outcomes = {
  answered: 'answered',
  /** The answer will come by the callback endpoint. */
  accepted: 'accepted',
  refused: 'refused',
  noAnswer: 'no answer',
  /** Too many were under way already. */
  dropped: 'dropped',
} as const;

/** What came of a delivery, for the journal. */
interface Outcome {
  readonly outcome: (typeof outcomes)[keyof typeof outcomes];
  readonly status: number | null;
  /** What is wrong with the callback, by name, and where. */
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
    const { headers, ...signed } = signedRequest(clock, application, JSON.stringify(interaction));
    const request = { ...signed, headers: { ...headers, 'user-agent': userAgent } };
    const { interactionReplyBytesMax: bytesMax } = serviceLimits;
    const bounds = { kind: 'interaction', ms: answerByMs - clock.now(), bytesMax, signal: stop } as const;
    return askOutside(core, pendingWork, url, request, bounds);
  }

  /** The address leads inside, or the application's key cannot be read. */
  function notAsked({ application, interaction }: Delivery, error: unknown): Outcome {
    if (error instanceof PrivateAddressError)
      return { outcome: outcomes.refused, status: null, error: 'private_address' };
    log.error({ application: application.id, interaction: interaction.id, error }, 'An interaction could not be sent.');
    return { outcome: outcomes.noAnswer, status: null };
  }

  /** Never throws: whatever is wrong with an answer is its outcome. */
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
      if (!(error instanceof RequestError)) log.error({ interaction: id, error }, 'An answer could not be taken.');
      return { outcome: outcomes.refused, status, ...describe(error) };
    }
  }

  async function settle({ application, interaction }: Delivery, outcome: Outcome): Promise<void> {
    const entry = { event: 'INTERACTION_CREATE', application: application.id, interaction: interaction.id, ...outcome };
    journal.write('delivery', entry);
    if (outcome.outcome === outcomes.answered || outcome.outcome === outcomes.accepted) return;
    log.warn(entry, "An application's server did not answer an interaction.");
    await fail(interaction.id).catch(error => log.error({ error }, 'An interaction could not be failed.'));
  }

  return {
    post,
    drop() {
      life.abort();
      life = new AbortController();
    },
  };
}

/** Names and places alone: a message may quote what was sent. */
function describe(error: unknown): Pick<Outcome, 'error' | 'issues'> {
  if (!(error instanceof RequestError)) return { error: 'internal_error' };
  const issues = error.issues.map(({ path, code }) => `${formatPath(path)}: ${code}`);
  return { error: error.reason, ...(issues.length > 0 && { issues }) };
}
