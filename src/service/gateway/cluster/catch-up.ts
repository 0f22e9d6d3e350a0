import { Buffer } from 'node:buffer';
import { type Cluster, type EventPlace, EventsLostError } from '../../cluster/contract.ts';
import { type Announced, topicsIn } from '../../events/announcement.ts';
import { SharedDispatch } from '../hub.ts';
import { KeptEvent } from '../sessions/event-log.ts';
import type { Session } from '../sessions/session.ts';

/**
 * Passes to a restored session what it missed since its base. The session follows its topics already and holds what arrives; afterwards
 * it has received exactly the events that every other node would have passed to it.
 *
 * @throws EventsLostError when some of them were deleted
 */
export async function catchUp(cluster: Cluster, session: Session): Promise<void> {
  // What its client has received was committed before, so it is among the events delivered here by then.
  await cluster.caughtUp();
  // Otherwise the base is from another database, of which this one is a restored backup.
  if (session.receivedUpTo > cluster.position) throw new EventsLostError(session.receivedUpTo);
  let after: EventPlace | undefined = { position: session.receivedUpTo, number: Number.POSITIVE_INFINITY };
  while (after && !session.hasEnded) after = await replay(cluster, session, after);
  if (!session.hasEnded) session.goOn();
}

/**
 * Passes on the events between a place and this node's position. The session holds those behind the position.
 *
 * @returns where to continue, when an event made the session follow another topic, whose events were neither held nor read
 */
async function replay(cluster: Cluster, session: Session, after: EventPlace): Promise<EventPlace | undefined> {
  session.holdAnew();
  const topics = [...session.following];
  for await (const piece of cluster.replay({ after, upTo: cluster.position, topics })) {
    for (const { announced, number } of piece) {
      if (session.hasEnded) return undefined;
      const unknown = topicsIn(announced.follow).filter(topic => !session.following.has(topic));
      const { event } = announced;
      session.receiveAgain(announced, SharedDispatch.of(announced, event && onDemand(event)));
      if (unknown.some(topic => session.following.has(topic))) {
        return { position: announced.position, number };
      }
    }
  }
  return undefined;
}

/** Most replayed events are never requested, so they are encoded on demand. */
function onDemand({ name, data }: NonNullable<Announced['event']>): KeptEvent {
  return new KeptEvent(name, Buffer.byteLength(data), () => data);
}
