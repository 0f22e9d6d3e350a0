import { type Locale, locales } from '../../../src/model/locale.ts';
import { dropEqualTexts, localize } from '../../../src/model/rules/locales/localize.ts';
import { requesterLocale } from '../../../src/model/rules/locales/requester-locale.ts';
import { chatCommand, option } from '../../support/commands/command-samples.ts';
import { type RuleCase, refused, story, valid } from './case.ts';
import { people, type RuleWorld } from './world.ts';

const translatedOption = option({
  name: 'mode',
  name_localizations: { de: 'modus' },
  description_localizations: { de: 'Was' },
  choices: [{ name: 'Ranked', name_localizations: { de: 'Gewertet' }, value: 'ranked' }],
});
const translated = chatCommand({
  name: 'invite',
  name_localizations: { de: 'einladen' },
  description_localizations: { fr: 'Inviter' },
  options: [translatedOption],
});

/** The name that a list shows to a reader of `locale`; undefined where only the default is left. */
async function shown(world: RuleWorld, texts: object, locale: string): Promise<string | undefined> {
  await world.create(chatCommand({ name: 'color', name_localizations: texts }));
  const list = await world.list('game', '', { 'x-discord-locale': locale });
  return list.find(({ name }) => name === 'color')?.name_localized;
}

const fallbacks: readonly [texts: Partial<Record<Locale, string>>, locale: Locale, shown: string | undefined][] = [
  [{ 'en-GB': 'colour' }, 'en-US', 'colour'],
  [{ 'en-US': 'colr' }, 'en-GB', 'colr'],
  [{ 'es-ES': 'tono' }, 'es-419', 'tono'],
  [{ 'es-419': 'tono' }, 'es-ES', undefined],
  [{ 'pt-BR': 'cor' }, 'es-ES', undefined],
  [{ 'en-GB': 'colour', 'en-US': 'color' }, 'en-US', 'color'],
  [{ 'en-GB': 'colour' }, 'de', undefined],
];

const readers: readonly [header: string | undefined, acceptLanguage: string | undefined, locale: Locale | undefined][] =
  [
    ['de', 'fr', 'de'],
    [undefined, 'fr', 'fr'],
    ['xx', 'fr', 'fr'],
    [undefined, 'nl;q=0.5, de-AT;q=0.9', 'de'],
    [undefined, undefined, undefined],
  ];

/** Rules of translations. @see docs/spec/commands.md#localization */
export const localizationCases: readonly RuleCase[] = [
  valid('localization 1', 'none', chatCommand()),
  valid('localization 1', 'another for each field', translated),
  valid('localization 1', 'an empty dictionary', chatCommand({ name_localizations: {} })),
  story('localization 2', 'every name and description is given back translated', {
    async http(world) {
      const { name_localizations, description_localizations, options } = await world.create(translated);
      const [mode] = options ?? [];
      return [
        name_localizations,
        description_localizations,
        mode?.name_localizations,
        mode?.description_localizations,
        mode?.choices?.[0]?.name_localizations,
      ];
    },
    expected: [{ de: 'einladen' }, { fr: 'Inviter' }, { de: 'modus' }, { de: 'Was' }, { de: 'Gewertet' }],
  }),
  story('localization 3', 'a text like the default is dropped, another is kept', {
    model: () => [dropEqualTexts({ de: 'invite' }, 'invite'), dropEqualTexts({ de: 'invite', fr: 'a' }, 'invite')],
    http: async world => [
      (await world.create(chatCommand({ name_localizations: { de: 'invite' } }))).name_localizations,
      (await world.create(chatCommand({ name_localizations: { de: 'invite', fr: 'a' } }))).name_localizations,
    ],
    expected: [null, { fr: 'a' }],
  }),
  ...fallbacks.map(([texts, locale, text]) =>
    story('localization 4', `${Object.keys(texts)} read in ${locale}`, {
      model: () => localize(dropEqualTexts(texts, 'color'), locale),
      http: world => shown(world, texts, locale),
      expected: text,
    }),
  ),
  story('localization 5', 'a use shows default names and the locale of the user', {
    async http(world) {
      const command = await world.create(translated);
      await world.use(command, { by: people.child, options: [{ type: 3, name: 'mode', value: 'ranked' }] });
      const { data, locale } = await world.heard('invite');
      return [data?.name, data?.options?.[0]?.name, locale];
    },
    expected: ['invite', 'mode', 'de'],
  }),
  story('localization 6', 'lists show the text of the reader, or the dictionaries', {
    async http(world) {
      await world.create(translated);
      const shownTo = async (query: string, headers = {}) => {
        const command = (await world.list('game', query, headers)).find(({ name }) => name === 'invite');
        return [command?.name_localized, command?.description_localized, command?.name_localizations];
      };
      return [
        await shownTo('', { 'x-discord-locale': 'de' }),
        await shownTo('', { 'x-discord-locale': 'fr' }),
        await shownTo('?with_localizations=true', { 'x-discord-locale': 'de' }),
      ];
    },
    expected: [
      ['einladen', undefined, undefined],
      [undefined, 'Inviter', undefined],
      [undefined, undefined, { de: 'einladen' }],
    ],
  }),
  ...readers.map(([header, acceptLanguage, locale]) =>
    story('localization 7', `by the header "${header}" and Accept-Language "${acceptLanguage}"`, {
      model: () => requesterLocale({ header, acceptLanguage }),
      async http(world) {
        const texts = { de: 'de', fr: 'fr', nl: 'nl' };
        await world.create(chatCommand({ name: 'own', name_localizations: texts }));
        const headers = {
          ...(header && { 'x-service-locale': header }),
          'accept-language': acceptLanguage ?? '',
        };
        return (await world.list('game', '', headers)).find(({ name }) => name === 'own')?.name_localized;
      },
      expected: locale,
    }),
  ),
  story('localization 7', 'then by the setting', {
    model: () => requesterLocale({ setting: 'de' }),
    async http(world) {
      await world.use(await world.create(chatCommand()), { by: people.child });
      return (await world.heard('invite')).locale;
    },
    expected: 'de',
  }),

  ...locales.map(locale => valid('1.7 locales', locale, chatCommand({ description_localizations: { [locale]: 'x' } }))),
  ...['pt_BR', 'en', 'DE', 'xx', '', '__proto__', 'constructor'].map(locale =>
    refused('1.7 locales', `"${locale}"`, chatCommand({ name_localizations: { [locale]: 'x' } }), [
      `name_localizations.${locale} BASE_TYPE_CHOICES`,
    ]),
  ),
];
