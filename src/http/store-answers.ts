import type { Clock } from "#domain/clock.ts";

const TIMEOUT_MS = 2_000;

/** Whether the store answers within the timeout of a health check. Never throws. */
export async function isStoreAnswering(
  store: { readonly ping: () => Promise<unknown> },
  clock: Pick<Clock, "schedule">,
): Promise<boolean> {
  const ping = store.ping().then(
    () => true,
    () => false,
  );
  let forget = (): void => undefined;
  const timeout = new Promise<boolean>((resolve) => {
    forget = clock.schedule(TIMEOUT_MS, () => resolve(false));
  });
  const isAnswering = await Promise.race([ping, timeout]);
  forget();
  return isAnswering;
}
