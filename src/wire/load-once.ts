/**
 * Makes what loads something when it is first needed, once. A load that fails fails those who wait for it, and the next who needs it
 * tries again: a file that could not be opened, because too many were open, can be a moment later.
 *
 * Node.js 22 remembers a module that failed to load, and fails the next time, too.
 */
export function loadOnce<Loaded>(load: () => Promise<Loaded>): () => Promise<Loaded> {
  let loading: Promise<Loaded> | undefined;
  return () => {
    loading ??= load().catch(error => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}
