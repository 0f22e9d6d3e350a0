import { Observable } from './rxjs.ts';

/** What `select` returns for each value of an observable, whenever it differs from before. */
export function selectFrom<From, To>(
  source: Observable<From>,
  select: (value: From) => To,
  isSame: (a: To, b: To) => boolean,
): Observable<To> {
  return new Observable(watcher => {
    let last: { readonly value: To } | undefined;
    return source.subscribe({
      next(from) {
        const value = select(from);
        if (last && isSame(last.value, value)) return;
        last = { value };
        watcher.next(value);
      },
      complete: () => watcher.complete(),
    });
  });
}
