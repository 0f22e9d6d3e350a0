import type { Localizations } from './locale.ts';

/** How a guild compares what an application says of a user with what it asks for. */
export const roleConnectionTypes = {
  INTEGER_LESS_THAN_OR_EQUAL: 1,
  INTEGER_GREATER_THAN_OR_EQUAL: 2,
  INTEGER_EQUAL: 3,
  INTEGER_NOT_EQUAL: 4,
  DATETIME_LESS_THAN_OR_EQUAL: 5,
  DATETIME_GREATER_THAN_OR_EQUAL: 6,
  BOOLEAN_EQUAL: 7,
  BOOLEAN_NOT_EQUAL: 8,
} as const;

export type RoleConnectionType = (typeof roleConnectionTypes)[keyof typeof roleConnectionTypes];

/** Something that guilds can ask of an application's users; an application has `roleConnectionLimits.roleConnectionMetadataMax` at most. */
export interface RoleConnectionMetadata {
  type: RoleConnectionType;
  /** 1 to 50 of a–z, 0–9 and _; each once. */
  key: string;
  /** 1 to 100 characters. */
  name: string;
  name_localizations: Localizations | null;
  /** 1 to 200 characters. */
  description: string;
  description_localizations: Localizations | null;
}

/** What an application says of a user elsewhere. */
export interface RoleConnection {
  platform_name: string | null;
  platform_username: string | null;
  /** Key of a {@link RoleConnectionMetadata} → value: a whole number, an ISO 8601 time, or 0 or 1 for a boolean. */
  metadata: Readonly<Record<string, string>>;
}
