/** Changes of single settings, from wherever they can be made. */
import type { QueryClient } from "@tanstack/react-query";
import type { ParametresInput } from "#contract/parametres-input.ts";
import type { ReadSettings } from "./panel-answers.ts";
import { call } from "./client.ts";
import { queries } from "./queries.ts";

/**
 * Saves a change. The call always carries the token, the payment, the address and the relay points (specification §7):
 * they are read again before, since another tab may have changed them. What cannot be read is not sent, and a stop of
 * automatic buying never waits for it to become readable.
 */
export async function editSettings(client: QueryClient, change: ParametresInput) {
  const saved = await client
    .fetchQuery({ ...queries.settings, staleTime: 0, retry: false })
    .catch(() => client.getQueryData(queries.settings.queryKey));
  return await call("editSettings", { body: { ...accountOf(saved), ...change } });
}

function accountOf(saved: ReadSettings | undefined): ParametresInput {
  if (saved === undefined || saved.isPartial === true) return {};
  const { adresse, relais } = saved;
  // An empty token keeps what is saved, whatever it has become meanwhile.
  return { token: "", paiement: saved.paiement === 11 ? 11 : 1, adresse, relais };
}
