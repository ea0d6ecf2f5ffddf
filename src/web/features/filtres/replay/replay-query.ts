/** The query of a filter's backtest, shared by the form and the backtest page. */
import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import type { Body } from "#contract/calls.ts";
import { couverture, exempleRejeu, type Rejeu, rejeu } from "#contract/filtres/rejeu.ts";
import { onlyWebAddress, or, readAs } from "../../../api/answers.ts";
import { call, CallError } from "../../../api/client.ts";
import { bodyOf, type FiltreDraft } from "../form/draft.ts";

/** Retries after a newer run, for example of another tab, superseded this one. */
const MAX_SUPERSEDED = 3;
const RETRY_MS = 1_500;

/** @param groupId the group in which the filter buys */
export function replayQuery(draft: FiltreDraft, groupId: string | null) {
  const body = replayBodyOf(draft, groupId);
  return queryOptions({
    queryKey: ["replay", body],
    queryFn: async ({ signal }) => {
      const answer = readReplay((await call("replayFilter", { signal, body })).body);
      return draft.autobuy ? answer : withoutPurchases(answer);
    },
    staleTime: 5 * 60_000,
    // One run per person: refetching a cached query in the background would cancel the visible one.
    gcTime: 0,
    retry: (failures, error) => isSuperseded(error) && failures < MAX_SUPERSEDED,
    retryDelay: RETRY_MS,
  });
}

/** Only the fields that affect the answer, so that a new tag starts no new run. */
export function replayBodyOf(draft: FiltreDraft, groupId: string | null): Body<"replayFilter"> {
  const {
    tag: _tag,
    info: _info,
    private: _private,
    alerte: _alert,
    alerte_max: _max,
    ...body
  } = bodyOf(draft);
  return { ...body, groupe: groupId };
}

/** Removes the simulated purchases: they are shown only for filters with automatic buying. */
function withoutPurchases({ exemples, jours, ...answer }: Rejeu): Rejeu {
  const unbought = (one: Rejeu["exemples"]["moins_chers"][number]) => ({ ...one, achat: false });
  return {
    ...answer,
    achats: null,
    pertes: [],
    jours: jours.map((day) => ({ ...day, achats: 0 })),
    exemples: {
      moins_chers: exemples.moins_chers.map(unbought),
      plus_chers: exemples.plus_chers.map(unbought),
    },
  };
}

function isSuperseded(error: unknown): boolean {
  return error instanceof CallError && error.status === 409;
}

const example = z.extend(exempleRejeu, {
  url: or(z.string().check(onlyWebAddress), ""),
});
const { exemple_jusqu_au: exampleUntil } = couverture.shape;
const readable = z.extend(rejeu, {
  couverture: z.extend(couverture, { exemple_jusqu_au: or(exampleUntil, null) }),
  exemples: z.object({ moins_chers: z.array(example), plus_chers: z.array(example) }),
});

function readReplay(body: unknown): Rejeu {
  return readAs(z.object({ rejeu: readable }), body).rejeu;
}
