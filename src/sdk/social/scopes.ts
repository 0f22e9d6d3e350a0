import { umbrellaScopes } from '../../model/oauth.ts';

/** The first of these scopes when none of them is granted, by itself or by an umbrella; undefined also when nobody knows. */
export function lacking(granted: readonly string[] | undefined, oneOf: readonly string[]): string | undefined {
  const isGranted = granted?.some(scope => {
    const opened: readonly string[] = umbrellaScopes[scope as keyof typeof umbrellaScopes] ?? [];
    return oneOf.some(one => one === scope || opened.includes(one));
  });
  return isGranted === false ? oneOf[0] : undefined;
}
