import { describe, expect, it } from 'vitest';
import { embedLimits } from '../../../../src/model/limits/embed-limits.ts';
import { checkMessageData } from '../../../../src/model/rules/interactions/callback.ts';
import { pickEmbed } from '../../../../src/model/rules/interactions/embed.ts';
import { times } from '../../../support/commands/command-samples.ts';
import { faults } from '../../../support/commands/issues.ts';

const ofAll = (embeds: unknown, names?: ReadonlySet<string>) => faults(checkMessageData({ embeds }, 0, names));
const ofOne = (embed: unknown, names?: ReadonlySet<string>) =>
  ofAll([embed], names).map(fault => fault.replace('embeds.0.', ''));
const dice = (length: number) => '🎲'.repeat(length);
const address = (length: number) => `https://a.example/${'x'.repeat(length - 18)}`;
const field = { name: 'Map', value: 'Harbour' };

describe('the texts of an embed', () => {
  const lengths: readonly (readonly [path: string, max: number, (text: string) => object])[] = [
    ['title', 256, title => ({ title })],
    ['description', 4096, description => ({ description })],
    ['footer.text', 2048, text => ({ footer: { text } })],
    ['author.name', 256, name => ({ author: { name } })],
    ['fields.0.name', 256, name => ({ fields: [{ ...field, name }] })],
    ['fields.0.value', 1024, value => ({ fields: [{ ...field, value }] })],
  ];

  it.each(lengths)('%s has at most %i code points', (path, max, embed) => {
    expect(ofOne(embed(dice(max - 1)))).toEqual([]);
    expect(ofOne(embed(dice(max)))).toEqual([]);
    expect(ofOne(embed(dice(max + 1)))).toEqual([`${path} BASE_TYPE_MAX_LENGTH`]);
    expect(ofOne(embed('x'.repeat(3_000_000)))).toContain(`${path} BASE_TYPE_MAX_LENGTH`);
  });

  it('have 6,000 code points together, of all embeds, without white space around them', () => {
    const parts = (rest: number) => [
      { title: dice(256), description: dice(4096), footer: { text: ` ${dice(100)}\n` } },
      { author: { name: dice(256) }, fields: [{ name: dice(256), value: dice(1024) }], title: dice(rest) },
    ];
    const rest = 6000 - 256 - 4096 - 100 - 256 - 256 - 1024;
    expect(ofAll(parts(rest - 1))).toEqual([]);
    expect(ofAll(parts(rest))).toEqual([]);
    expect(ofAll(parts(rest + 1))).toEqual(['embeds MAX_EMBED_SIZE_EXCEEDED']);
  });
});

describe('an embed', () => {
  it('has at most 25 fields, each with a name and a value', () => {
    expect(ofOne({ fields: times(25, () => ({ ...field, inline: true })) })).toEqual([]);
    expect(ofOne({ fields: times(26, () => field) })).toEqual(['fields BASE_TYPE_MAX_LENGTH']);
    expect(ofOne({ fields: [{}, { name: '', value: null }, 5] })).toEqual([
      'fields.0.name BASE_TYPE_REQUIRED',
      'fields.0.value BASE_TYPE_REQUIRED',
      'fields.1.name BASE_TYPE_REQUIRED',
      'fields.1.value BASE_TYPE_REQUIRED',
      'fields.2 MODEL_TYPE_CONVERT',
    ]);
  });

  it.each([
    [{ title: 5 }, 'title STRING_TYPE_CONVERT'],
    [{ title: '\ud800' }, 'title STRING_TYPE_CONVERT'],
    [{ color: 0x1000000 }, 'color NUMBER_TYPE_MAX'],
    [{ color: '#ffffff' }, 'color NUMBER_TYPE_COERCE'],
    [{ timestamp: 'tomorrow' }, 'timestamp DATE_TIME_TYPE_PARSE'],
    [{ timestamp: `2026-01-01${'0'.repeat(1_000_000)}` }, 'timestamp DATE_TIME_TYPE_PARSE'],
    [{ timestamp: 5 }, 'timestamp STRING_TYPE_CONVERT'],
    [{ footer: 'x' }, 'footer MODEL_TYPE_CONVERT'],
    [{ image: ['x'] }, 'image MODEL_TYPE_CONVERT'],
    [{ fields: {} }, 'fields LIST_TYPE_CONVERT'],
    [{ fields: [{ ...field, inline: 'no' }] }, 'fields.0.inline BOOLEAN_TYPE_CONVERT'],
  ])('%j is rejected: %s', (embed, fault) => {
    expect(ofOne(embed)).toEqual([fault]);
  });

  it('may have nothing, null for what it does not have, and times and colors', () => {
    expect(ofOne({})).toEqual([]);
    const names = ['title', 'description', 'url', 'timestamp', 'color', 'footer', 'image', 'author', 'fields'];
    expect(ofOne(Object.fromEntries(names.map(name => [name, null])))).toEqual([]);
    for (const timestamp of ['2026-11-29T08:00:00.000Z', '2026-11-29T08:00:00+01:00', '2026-11-29']) {
      expect(ofOne({ timestamp, color: 0xffffff })).toEqual([]);
    }
  });

  it('is kept without what its sender cannot give, and without nulls', () => {
    const shown = { title: 'T', image: { url: address(30) }, author: { name: 'A' }, fields: [field] };
    const given = {
      ...shown,
      ...{ type: 'video', provider: { name: 'x' }, video: {}, stuff: 'x', url: null, footer: null },
      image: { ...shown.image, width: 5, proxy_url: 'x' },
      fields: [{ ...field, more: 'x' }],
    };
    expect(ofOne(given)).toEqual([]);
    expect(pickEmbed(given)).toEqual(shown);
  });
});

describe('the addresses of an embed', () => {
  const places: readonly (readonly [path: string, showsFile: boolean, (url: string) => object])[] = [
    ['url', false, url => ({ url })],
    ['author.url', false, url => ({ author: { url } })],
    ['author.icon_url', true, icon_url => ({ author: { icon_url } })],
    ['footer.icon_url', true, icon_url => ({ footer: { icon_url } })],
    ['image.url', true, url => ({ image: { url } })],
    ['thumbnail.url', true, url => ({ thumbnail: { url } })],
  ];

  it.each(places)('%s has at most 2,048 characters, and http or https', (path, _, embed) => {
    const max = embedLimits.embedUrlLengthMax;
    expect(ofOne(embed(address(max)))).toEqual([]);
    expect(ofOne(embed(address(max + 1)))).toEqual([`${path} BASE_TYPE_MAX_LENGTH`]);
    expect(ofOne(embed('HTTP://a.example'))).toEqual([]);
    for (const url of ['javascript:0', 'data:text/html,x', 'file:///etc', 'ftp://a.example', 'discord://x']) {
      expect(ofOne(embed(url))).toEqual([`${path} URL_TYPE_INVALID_SCHEME`]);
    }
    expect(ofOne(embed('here'))).toEqual([`${path} URL_TYPE_INVALID_URL`]);
  });

  it.each(places)('%s names a file of the message: %s', (path, showsFile, embed) => {
    const names = new Set(['map 1.png']);
    if (!showsFile) {
      expect(ofOne(embed('attachment://map.png'))).toEqual([`${path} URL_TYPE_INVALID_SCHEME`]);
      return;
    }
    expect(ofOne(embed('attachment://map 1.png'), names)).toEqual([]);
    const unknown = [`${path} UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND`];
    expect(ofOne(embed('attachment://other.png'), names)).toEqual(unknown);
    expect(ofOne(embed('attachment://'))).toEqual(unknown);
    expect(ofOne(embed('attachment://other.png'))).toEqual([]);
  });
});
