import { describe, expect, it } from 'vitest';
import { quoteLongIds } from '../../../src/service/support/long-ids.ts';

describe('text with ids', () => {
  const id = '1573392130716467201';

  it.each([
    [`{"id":${id}}`, `{"id":"${id}"}`],
    [`{"user_id" : ${id},"n":1}`, `{"user_id" : "${id}","n":1}`],
    [`{"emoji_id":${id},"nonce":${id}}`, `{"emoji_id":"${id}","nonce":"${id}"}`],
    [`{"default_member_permissions":${id}}`, `{"default_member_permissions":"${id}"}`],
    [`{"user_ids":[${id},\n5 ,${id}]}`, `{"user_ids":["${id}",\n5 ,"${id}"]}`],
    [
      `{"guild_id":[${id}],"allowed_mentions":{"users":[${id}]}}`,
      `{"guild_id":["${id}"],"allowed_mentions":{"users":["${id}"]}}`,
    ],
  ])('keeps the digits of %s', (text, quoted) => {
    expect(quoteLongIds(text)).toBe(quoted);
  });

  it.each([
    `{"id":${id.slice(0, 15)}}`,
    `{"id":${id}.5}`,
    `{"id":${id}e3}`,
    `{"level":${id}}`,
    `{"levels":[${id}]}`,
    `{"user_ids":["${id}",${id}`,
    `{"user_ids":[${id}.5]}`,
    JSON.stringify({ text: `"id":${id} "user_ids":[${id}]` }),
  ])('is left as it is: %s', text => {
    expect(quoteLongIds(text)).toBe(text);
  });
});
