/** The queries of the market's prices. Lists are read item by item. */
import { queryOptions } from "@tanstack/react-query";
import { populaire, prixDuMarche, type PrixDuMarche } from "#contract/filtres/rejeu.ts";
import { as, membersOf, readAs, readList } from "../../api/answers.ts";
import { call } from "../../api/client.ts";

/** Prices over a month hardly change within a minute. */
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
    queryFn: async ({ signal }) => {
      const query = { type: String(typeId), ...(brandId === null ? {} : { marque: String(brandId) }) };
      return readPrices((await call("marketPrices", { signal, query })).body);
    },
    staleTime: FRESH_MS,
  });
}

const range = as(prixDuMarche.shape.etats.def.element);
const day = as(prixDuMarche.shape.jours.def.element);

/** What is no list counts as one item that cannot be read: the other lists stay. */
const listOf = (sent: unknown): unknown[] => [sent].flat();

export function readPrices(body: unknown): PrixDuMarche {
  const sent = membersOf(membersOf(body)["prix"]);
  const { marques } = sent;
  return {
    ...readAs(prixDuMarche, { ...sent, etats: [], tailles: [], marques: undefined, jours: [] }),
    etats: readList("conditionPrices", listOf(sent["etats"]), range),
    tailles: readList("sizePrices", listOf(sent["tailles"]), range),
    marques: readList("brandPrices", listOf(marques ?? []), range),
    jours: readList("priceDays", listOf(sent["jours"]), day),
  };
}
