/** The query of a filter's backtest, shared by the form and the backtest page. */
import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import type { Body } from "#contract/calls.ts";
import { couverture, exempleRejeu, type Rejeu, rejeu } from "#contract/filtres/rejeu.ts";
import { as, membersOf, onlyWebAddress, or, readAs, readList } from "../../../api/answers.ts";
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
const { pertes, jours, conditions, limite, ids, achetes, duree_ms: durationMs } = rejeu.shape;
const readable = z.extend(rejeu, {
  couverture: z.extend(couverture, { exemple_jusqu_au: or(exampleUntil, null) }),
  // Not shown.
  ids: or(ids, []),
  achetes: or(achetes, []),
  duree_ms: or(durationMs, 0),
});

/** What is no list counts as one item that cannot be read: the other lists stay. */
const listOf = (sent: unknown): unknown[] => [sent].flat();

/** Its lists are read item by item. */
export function readReplay(body: unknown): Rejeu {
  const sent = membersOf(membersOf(body)["rejeu"]);
  const [examples, limit] = [membersOf(sent["exemples"]), membersOf(sent["limite"])];
  const rest = readAs(readable, {
    ...sent,
    pertes: [],
    jours: [],
    conditions: [],
    exemples: { moins_chers: [], plus_chers: [] },
    limite: { ...limit, paliers: [] },
  });
  return {
    ...rest,
    pertes: readList("replayLosses", listOf(sent["pertes"]), as(pertes.def.element)),
    jours: readList("replayDays", listOf(sent["jours"]), as(jours.def.element)),
    conditions: readList("replayConditions", listOf(sent["conditions"]), as(conditions.def.element)),
    exemples: {
      moins_chers: readList("cheapest", listOf(examples["moins_chers"]), as(example)),
      plus_chers: readList("dearest", listOf(examples["plus_chers"]), as(example)),
    },
    limite: {
      ...rest.limite,
      paliers: readList("replayLimits", listOf(limit["paliers"]), as(limite.shape.paliers.def.element)),
    },
  };
}
