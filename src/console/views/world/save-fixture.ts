import type { FixturesDocument } from '../../../wire/control/calls.ts';
import type { ApplicationsPage } from '../../../wire/control/world.ts';
import { control } from '../../control/client.ts';
import { ControlError } from '../../control/errors.ts';

/** A secret that was made just now, and that nobody can read again. */
export interface FreshSecret {
  readonly application_id: string;
  readonly application_name: string;
  readonly kind: 'bot_token' | 'client_secret';
  readonly value: string;
}

/** How long the service may take for a large document. */
const patienceMs = 120_000;

/**
 * Posts one entry of fixtures: it adds or changes that entry.
 *
 * @returns the entry, completed
 * @throws ControlError whose paths begin at the entry's own fields
 */
export async function saveEntry(
  list: keyof FixturesDocument,
  entry: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  try {
    const answer = await postFixtures({ [list]: [entry] });
    return answer[list]?.[0] ?? {};
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    const issues = error.issues.map(issue => {
      const isOwn = issue.path[0] === list && String(issue.path[1]) === '0';
      return isOwn ? { ...issue, path: issue.path.slice(2) } : issue;
    });
    throw new ControlError(error.status, error.message, issues);
  }
}

/** Posts a document. Secrets that it leaves out stay as they are. */
export function postFixtures(document: FixturesDocument): Promise<FixturesDocument> {
  return control.post<FixturesDocument>('/fixtures', document, {
    query: { keep_secrets: true },
    timeoutMs: patienceMs,
  });
}

/** The ids of all applications that there are. */
export async function applicationIds(): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  let after: string | undefined;
  do {
    const page = await control.get<ApplicationsPage>('/applications', { query: { limit: 1000, after } });
    for (const { id } of page.applications) ids.add(id);
    after = page.next ?? undefined;
  } while (after !== undefined);
  return ids;
}

/**
 * The secrets that the service made for new applications.
 *
 * @param known the applications that there were before
 */
export function freshSecrets(
  sent: FixturesDocument,
  answer: FixturesDocument,
  known: ReadonlySet<string> = new Set(),
): readonly FreshSecret[] {
  const given = new Map((sent.applications ?? []).map(application => [application.id, application]));
  return (answer.applications ?? []).flatMap((application): FreshSecret[] =>
    (['bot_token', 'client_secret'] as const).flatMap(kind => {
      const value = application[kind];
      const isGiven = given.get(application.id)?.[kind] !== undefined || known.has(String(application.id));
      if (typeof value !== 'string' || isGiven) return [];
      return [{ application_id: String(application.id), application_name: String(application.name), kind, value }];
    }),
  );
}
