import type { ApplicationDetails, RotateBody, RotatedCredential } from '../../../wire/control/world.ts';
import type { Core } from '../../core.ts';
import { topics } from '../../events/announcement.ts';
import { announceNewBotToken } from '../../features/guilds/records.ts';
import type { ApplicationRecord } from '../../store/records.ts';
import { object, oneOf } from '../../support/document-check.ts';
import { hashSecret } from '../../support/secret.ts';
import { createBotToken, createClientSecret } from '../../testing/fixtures/secrets.ts';
import type { ControlDeps } from '../deps.ts';
import { pageFields, pageOf, searcher } from '../lists.ts';
import { type ControlCall, ControlRefusal, call, notThere, pathId, read, readPage } from '../request.ts';

/** Calls about applications. */
export function applicationCalls({ core, gateway }: ControlDeps): readonly ControlCall[] {
  const show = (application: ApplicationRecord) => detailsOf(core, gateway, application);
  return [
    call('GET /applications', async ({ query }) => {
      const matches = searcher(query);
      const isWanted = matches && (({ id, name }: ApplicationRecord) => matches(id, name));
      const found = await pageOf(core, 'applications', readPage(query), isWanted);
      return { applications: await Promise.all(found.page.map(show)), ...pageFields(found) };
    }),
    call('GET /applications/{id}', async request => {
      const id = pathId(request, 'application');
      const application = await core.store.get('applications', id);
      if (!application) throw notThere('application', id);
      return show(application);
    }),
    call('POST /applications/{id}/rotate', async request => {
      const { credential } = read<RotateBody>(request.body, rotateBody);
      return rotate(core, pathId(request, 'application'), credential);
    }),
  ];
}

const rotateBody = object({ credential: oneOf(['bot_token', 'client_secret']) }, ['credential']);
const guildsShownMax = 100;

async function detailsOf(
  { store }: Core,
  gateway: ControlDeps['gateway'],
  record: ApplicationRecord,
): Promise<ApplicationDetails> {
  const { bot_token_hash, client_secret_hash, signing_key: _, role_connection_metadata: __, ...shown } = record;
  const installations = await store.list('installations', { equals: [record.id], limit: guildsShownMax });
  return {
    ...shown,
    has_bot: bot_token_hash !== null,
    has_client_secret: client_secret_hash !== null,
    bot_sessions: gateway.sessions.following(topics.application(record.id)),
    guild_ids: installations.map(({ guild_id }) => guild_id),
  };
}

/** Replaces a credential. The former one is no longer valid, and gateway sessions that it opened end. */
async function rotate(
  { store, entropy }: Core,
  id: string,
  credential: RotateBody['credential'],
): Promise<RotatedCredential> {
  const secret = credential === 'bot_token' ? createBotToken(entropy, id) : createClientSecret(entropy);
  await store.transact(`application/${id}`, async transaction => {
    const application = await transaction.get('applications', id);
    if (!application) throw notThere('application', id);
    if (credential === 'bot_token' && application.bot_token_hash === null) {
      throw new ControlRefusal(409, `The application ${id} has no bot; give it one by POST /control/fixtures.`);
    }
    transaction.put('applications', { ...application, [`${credential}_hash`]: hashSecret(secret) });
    if (credential === 'bot_token') announceNewBotToken(transaction, id);
  });
  return { [credential]: secret };
}
