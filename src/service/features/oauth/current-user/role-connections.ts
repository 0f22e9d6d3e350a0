import type { Localizations } from '../../../../model/locale.ts';
import type { RoleConnection, RoleConnectionMetadata } from '../../../../model/role-connection.ts';
import { checkRoleConnection, checkRoleConnectionMetadata } from '../../../../model/rules/accounts/role-connection.ts';
import type { Core } from '../../../core.ts';
import type { Transaction } from '../../../store/contract.ts';
import type { ApplicationRecord, RoleConnectionRecord } from '../../../store/records.ts';
import { RequestError, rejectIssues } from '../../../support/request-error.ts';
import { changeApplication } from '../../accounts/application-records.ts';
import { authorizationScope } from '../authorize/authorization-records.ts';
import type { Holder } from './claims.ts';

/**
 * What an application states about its users' accounts elsewhere, which guilds could require for roles. Deviation:
 * guilds of this service give no roles for it.
 */
export interface RoleConnections {
  /** @param body the complete list, not yet validated @throws RequestError `invalid_form_body` */
  replaceMetadata(application: ApplicationRecord, body: unknown): Promise<readonly RoleConnectionMetadata[]>;
  /** All fields are null when the application has stated nothing. */
  get(holder: Holder): Promise<RoleConnection>;
  /**
   * Replaces the whole record. Unspecified: a field that the body omits is removed, as usual with PUT.
   *
   * @param body {@link RoleConnection}, not yet validated
   * @throws RequestError `invalid_form_body`; `unauthorized` when the authorization ends meanwhile
   */
  replace(holder: Holder, body: unknown): Promise<RoleConnection>;
  /** Idempotent. */
  delete(holder: Holder): Promise<void>;
}

export function createRoleConnections({ store }: Pick<Core, 'store'>): RoleConnections {
  function inTurn<T>({ token, application, user }: Holder, work: (transaction: Transaction) => T | Promise<T>) {
    const parties = { application_id: application.id, user_id: user.id };
    return store.transact(
      authorizationScope(parties),
      async transaction => {
        const { authorization_id: id } = token;
        if (id !== null && !(await transaction.get('authorizations', id))) throw new RequestError('unauthorized');
        return work(transaction);
      },
      // A child application's token belongs to the authorization of its parent.
      application.parent_id === null ? [] : [authorizationScope({ ...parties, application_id: application.parent_id })],
    );
  }

  return {
    async replaceMetadata({ id }, body) {
      rejectIssues(checkRoleConnectionMetadata(body));
      const role_connection_metadata = (body as RoleConnectionMetadata[]).map(roleConnectionMetadataRecord);
      return (await changeApplication(store, id, { role_connection_metadata })).role_connection_metadata;
    },

    async get({ application, user }) {
      return view(await store.get('role_connections', application.id, user.id));
    },

    async replace(holder, body) {
      const { application, user, token } = holder;
      rejectIssues(checkRoleConnection(body, application.role_connection_metadata));
      const { platform_name = null, platform_username = null, metadata } = body as Partial<RoleConnection>;
      const record: RoleConnectionRecord = {
        application_id: application.id,
        user_id: user.id,
        authorization_id: token.authorization_id,
        platform_name,
        platform_username,
        metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([key, value]) => [key, String(value)])),
      };
      return inTurn(holder, transaction => {
        transaction.put('role_connections', record);
        return view(record);
      });
    },

    delete: holder =>
      inTurn(holder, transaction => {
        transaction.delete('role_connections', holder.application.id, holder.user.id);
      }),
  };
}

function view(record: RoleConnectionRecord | undefined): RoleConnection {
  const { platform_name = null, platform_username = null, metadata = {} } = record ?? {};
  return { platform_name, platform_username, metadata };
}

/** As it is stored: without null texts. */
export function roleConnectionMetadataRecord(item: RoleConnectionMetadata): RoleConnectionMetadata {
  const { type, key, name, description } = item;
  return {
    ...{ type, key, name, name_localizations: given(item.name_localizations) },
    ...{ description, description_localizations: given(item.description_localizations) },
  };
}

/** Omits null texts. */
function given(texts: Localizations | null | undefined): Localizations | null {
  const entries = Object.entries(texts ?? {}).filter(([, text]) => text !== null);
  return entries.length > 0 ? Object.fromEntries(entries) : null;
}
