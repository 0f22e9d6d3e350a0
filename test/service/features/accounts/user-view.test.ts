import { describe, expect, it } from 'vitest';
import { userView } from '../../../../src/service/features/accounts/user-view.ts';
import { userRecord } from '../support.ts';

describe('a user as others see it', () => {
  it('has no flag as a full account, and the one of provisional accounts as such', () => {
    expect(userView(userRecord('7'))).toMatchObject({ public_flags: 0, flags: 0 });
    const provisional = userView({ ...userRecord('7'), provisional_of: '1' });
    expect(provisional).toMatchObject({ public_flags: 1 << 23, flags: 1 << 23, primary_guild: null });
  });
});
