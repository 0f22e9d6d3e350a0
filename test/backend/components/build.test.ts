import { describe, expect, it } from 'vitest';
import { button, row, select } from '../../../src/backend/components/build.ts';
import { checkMessageData } from '../../../src/model/rules/interactions/callback.ts';

describe('builders of message components', () => {
  it('make what the interface shapes, and what the rules accept', () => {
    const components = [
      row(button.primary('join:red', 'Join'), button.link('https://example.com/', 'Rules', { disabled: true })),
      row(select.of('map', [{ value: 'harbour', label: 'Harbour' }], { max_values: 1 })),
      row(select.users('friends', { max_values: 5 })),
    ];
    expect(checkMessageData({ components })).toEqual([]);
    expect(components.map(({ components: inner }) => inner)).toEqual([
      [
        { type: 2, style: 1, custom_id: 'join:red', label: 'Join' },
        { type: 2, style: 5, url: 'https://example.com/', label: 'Rules', disabled: true },
      ],
      [{ type: 3, custom_id: 'map', options: [{ value: 'harbour', label: 'Harbour' }], max_values: 1 }],
      [{ type: 5, custom_id: 'friends', max_values: 5 }],
    ]);
  });
});
