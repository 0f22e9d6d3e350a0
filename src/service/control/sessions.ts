import { intents } from '../../model/gateway.ts';
import type { SessionActionBody, SessionDetails } from '../../wire/control/sessions.ts';
import type { Core } from '../core.ts';
import type { Session } from '../gateway/sessions/session.ts';
import { comparePart } from '../store/keys.ts';
import { flag, object, oneOf } from '../support/document-check.ts';
import { serviceLimits } from '../support/service-limits.ts';
import type { ControlDeps } from './deps.ts';
import { pageFields, pageOfAll, searcher } from './lists.ts';
import {
  type ControlCall,
  ControlRefusal,
  type ControlRequest,
  call,
  queryId,
  queryText,
  read,
  readLimit,
} from './request.ts';

/** Calls about the gateway sessions of this node. */
export function sessionCalls({ core, gateway }: ControlDeps): readonly ControlCall[] {
  const find = ({ params: { id = '' } }: ControlRequest) => {
    const session = gateway.sessions.find(id);
    if (!session) throw new ControlRefusal(404, `There is no gateway session ${id} at this node.`);
    return session;
  };
  return [
    call('GET /sessions', async ({ query }) => {
      const after = queryText(query, 'after');
      const wanted = await filtered(core, gateway.sessions.list(), query);
      const found = pageOfAll(wanted, ({ id }) => id, {
        limit: readLimit(query),
        ...(after !== undefined && { after }),
      });
      const sessions = await Promise.all(found.page.map(session => detailsOf(core, session)));
      return { sessions, node: core.cluster?.node ?? null, ...pageFields(found) };
    }),
    call('GET /sessions/{id}', request => detailsOf(core, find(request))),
    call('POST /sessions/{id}', async request => {
      const { action, resumable = false } = read<SessionActionBody>(request.body, actionBody);
      if (gateway.sessions.act(find(request), action, resumable)) return;
      throw new ControlRefusal(
        409,
        `The session has no connection to ${action}: its client is gone and may resume it.`,
      );
    }),
  ];
}

const actionBody = object(
  { action: oneOf(['drop', 'freeze', 'thaw', 'reconnect', 'invalidate', 'end']), resumable: flag },
  ['action'],
);
const topicsShownMax = 100;

async function filtered(core: Core, all: readonly Session[], query: ControlRequest['query']): Promise<Session[]> {
  const matches = searcher(query);
  const applicationId = queryId(query, 'application_id');
  const userId = queryId(query, 'user_id');
  const wanted = all
    .filter(
      ({ record: { application_id, user_id } }) =>
        (applicationId === undefined || application_id === applicationId) &&
        (userId === undefined || user_id === userId),
    )
    .sort((a, b) => comparePart(a.id, b.id));
  if (!matches) return wanted;
  const names = await Promise.all(wanted.map(session => nameOf(core, session)));
  return wanted.filter(({ id, record: { application_id, user_id } }, at) =>
    matches(id, application_id, user_id, names[at]),
  );
}

async function nameOf({ store }: Core, { record: { kind, application_id, user_id } }: Session): Promise<string | null> {
  if (kind !== 'bot') return (await store.get('users', user_id))?.username ?? null;
  const application = await store.get('applications', application_id ?? '');
  return application?.bot_username ?? application?.name ?? null;
}

async function detailsOf(core: Core, session: Session): Promise<SessionDetails> {
  const { record, connection, replaySize, following } = session;
  const { id, kind, application_id, user_id, intents: bits, shard, presence, detached_at_ms } = record;
  return {
    ...{ id, kind, application_id, user_id, intents: bits, shard, presence },
    username: await nameOf(core, session),
    intent_names: Object.entries(intents).flatMap(([name, bit]) => (bits !== null && bits & bit ? [name] : [])),
    ...{ sequence: session.sequence, acknowledged: session.acknowledged },
    replay: {
      ...replaySize,
      events_max: serviceLimits.gatewayReplayEventsMax,
      bytes_max: serviceLimits.gatewayReplayBytesMax,
    },
    topics: [...following].slice(0, topicsShownMax),
    topic_count: following.size,
    connection: connection
      ? {
          ...{ id: connection.id, opened_at_ms: connection.openedAtMs, encoding: connection.encodingName },
          ...{ compression: connection.compressionName, backlog_bytes: connection.backlogBytes },
          is_frozen: connection.isFrozen,
        }
      : null,
    resumable_until_ms:
      connection || detached_at_ms === null ? null : detached_at_ms + serviceLimits.gatewayResumeWindowMs,
  };
}
