import { applicationFlags } from '../../../model/application.ts';
import type { Ready } from '../../../model/gateway.ts';
import { apiVersion } from '../../../wire/routes.ts';
import type { Core } from '../../core.ts';
import type { ApplicationRecord } from '../../store/records.ts';
import type { Session } from './session.ts';

/** The common part of every READY. @see docs/spec/gateway.md#sessions */
export function readyBase(core: Core, session: Session): Omit<Ready, 'user'> {
  return {
    v: apiVersion,
    guilds: [],
    session_id: session.id,
    resume_gateway_url: core.addresses.gateway,
    ...lookedFor,
  };
}

/** Fields that clients of every kind read without checking that they are there, and this interface does not have. */
const lookedFor = {
  session_type: 'normal',
  private_channels: [],
  relationships: [],
  game_relationships: [],
} as const satisfies Partial<Ready>;

export function readyApplication(application: ApplicationRecord): Ready['application'] & object {
  const { embedded, public_client } = application;
  const flags =
    (embedded ? applicationFlags.EMBEDDED : 0) | (public_client ? applicationFlags.PUBLIC_OAUTH2_CLIENT : 0);
  return { id: application.id, flags };
}

/** As players' sessions see it. @see docs/spec/social.md#ready */
export function readyGame(application: ApplicationRecord): Ready['application'] & object {
  const { name, parent_id } = application;
  return { ...readyApplication(application), name, ...(parent_id !== null && { parent_id }) };
}
