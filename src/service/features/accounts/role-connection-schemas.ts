import { roleConnectionLimits } from '../../../model/limits/role-connection-limits.ts';
import { roleConnectionTypes } from '../../../model/role-connection.ts';
import {
  dictionary,
  enumeration,
  type Fields,
  list,
  nullable,
  nullableFields,
  object,
  ref,
  text,
} from '../../http/json-schema.ts';
import { localizations } from '../commands/schemas.ts';

const name = text(1, roleConnectionLimits.roleConnectionNameLengthMax);
const description = text(1, roleConnectionLimits.roleConnectionDescriptionLengthMax);
const key = { ...text(1, roleConnectionLimits.roleConnectionKeyLengthMax), pattern: '^[a-z0-9_]+$' };
const value = text(0, roleConnectionLimits.roleConnectionValueLengthMax);
const entries = { maxProperties: roleConnectionLimits.roleConnectionMetadataMax, propertyNames: key };
const platformFields: Fields = {
  platform_name: text(0, roleConnectionLimits.platformNameLengthMax),
  platform_username: text(0, roleConnectionLimits.platformUsernameLengthMax),
};
const metadataFields: Fields = { type: enumeration(roleConnectionTypes), key, name, description };

/** @see docs/spec/http.md#users-and-guilds */
export const roleConnectionSchemas = {
  RoleConnection: object(
    'The role connection of a user: an application’s description of the user’s account elsewhere',
    {
      ...nullableFields(platformFields),
      metadata: dictionary(value, entries),
    },
  ),
  RoleConnectionInput: object(
    'The role connection of a user; fields that are left out are removed',
    {},
    nullableFields({
      ...platformFields,
      metadata: {
        description: 'Numbers are converted to text; if the application’s metadata has the key, its type applies',
        ...dictionary({ anyOf: [value, { type: 'number' }] }, entries),
      },
    }),
  ),
  RoleConnectionMetadata: object('A condition that guilds can set on role connections', {
    ...metadataFields,
    name_localizations: nullable(ref('Localizations')),
    description_localizations: nullable(ref('Localizations')),
  }),
  RoleConnectionMetadataList: list(ref('RoleConnectionMetadata'), roleConnectionLimits.roleConnectionMetadataMax),
  RoleConnectionMetadataInput: list(
    object('A condition that guilds can set on role connections; keys are unique', metadataFields, {
      name_localizations: nullable(localizations(name)),
      description_localizations: nullable(localizations(description)),
    }),
    roleConnectionLimits.roleConnectionMetadataMax,
  ),
};
