import type { IdTokens } from './id-token.ts';
import type { ProvisionalMerges } from './provisional-merge.ts';

/** What the grants that sign users in stand on. */
export interface GrantDeps {
  readonly idTokens: IdTokens;
  readonly merges: ProvisionalMerges;
}
