/** What the market is asked for, as this page reads it. */
import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { populaire, prixDuMarche, type PrixDuMarche } from "#contract/filtres/rejeu.ts";
import { as, membersOf, readAs, readList } from "../../api/answers.ts";
import { call } from "../../api/client.ts";

/** The prices of a month hardly move within a minute. */
const FRESH_MS = 60_000;

export const popularPairs = queryOptions({
  queryKey: ["popular-pairs"],
  queryFn: async ({ signal }) => {
    const { body } = await call("popularPairs", { signal });
    return readList("popularPairs", membersOf(body)["populaires"], as(populaire));
  },
  staleTime: FRESH_MS,
});

/** @param brandId null: any brand */
export function marketPrices(typeId: number, brandId: number | null) {
  return queryOptions({
    queryKey: ["market-prices", typeId, brandId],
    queryFn: async ({ signal }): Promise<PrixDuMarche> => {
      const query = { type: String(typeId), ...(brandId === null ? {} : { marque: String(brandId) }) };
      const { body } = await call("marketPrices", { signal, query });
      return readAs(z.object({ prix: prixDuMarche }), body).prix;
    },
    staleTime: FRESH_MS,
  });
}
