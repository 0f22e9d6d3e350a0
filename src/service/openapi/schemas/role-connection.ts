import { roleConnectionLimits } from '../../../model/limits/limits.ts';
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
} from '../json-schema.ts';
import { localizations } from './command.ts';

const name = text(1, roleConnectionLimits.roleConnectionNameLengthMax);
const description = text(1, roleConnectionLimits.roleConnectionDescriptionLengthMax);
const key = { ...text(1, roleConnectionLimits.roleConnectionKeyLengthMax), pattern: '^[a-z0-9_]+$' };
const value = text(0, roleConnectionLimits.roleConnectionValueLengthMax);
const entries = { maxProperties: roleConnectionLimits.roleConnectionMetadataMax, propertyNames: key };
const told: Fields = {
  platform_name: text(0, roleConnectionLimits.platformNameLengthMax),
  platform_username: text(0, roleConnectionLimits.platformUsernameLengthMax),
};
const asked: Fields = { type: enumeration(roleConnectionTypes), key, name, description };

/** @see docs/spec/http.md#users-and-guilds */
export const roleConnectionSchemas = {
  RoleConnection: object('What an application says of a user elsewhere', {
    ...nullableFields(told),
    metadata: dictionary(value, entries),
  }),
  RoleConnectionInput: object(
    'What an application says of a user elsewhere; what is left out is not said any more',
    {},
    nullableFields({
      ...told,
      metadata: {
        description: 'Numbers stand for their text; where the key is of the application’s metadata, its type decides',
        ...dictionary({ anyOf: [value, { type: 'number' }] }, entries),
      },
    }),
  ),
  RoleConnectionMetadata: object('Something that guilds can ask of role connections', {
    ...asked,
    name_localizations: nullable(ref('Localizations')),
    description_localizations: nullable(ref('Localizations')),
  }),
  RoleConnectionMetadataList: list(ref('RoleConnectionMetadata'), roleConnectionLimits.roleConnectionMetadataMax),
  RoleConnectionMetadataInput: list(
    object('Something that guilds can ask of role connections; each key once', asked, {
      name_localizations: nullable(localizations(name)),
      description_localizations: nullable(localizations(description)),
    }),
    roleConnectionLimits.roleConnectionMetadataMax,
  ),
};
