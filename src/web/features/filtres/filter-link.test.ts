import * as fc from "fast-check";
import { expect, test } from "vitest";
import { filtreApercuInput } from "#contract/filtres/filtre-input.ts";
import { aFullFiltre } from "#verify/testing/on-the-wire.ts";
import { packFilter, packText, unpackFilter } from "./filter-link.ts";
import { bodyOf, criteriaOf, draftOf, emptyDraft } from "./form/draft.ts";

const named = (ids: number[]) => ({ ids, names: ids.map(String) });

const filtre = aFullFiltre({
  _id: "secret-id",
  tag: "Vestes d'été",
  private: false,
  types: named([1037, 221]),
  brands: named([53]),
  sizes: named([207]),
  status: named([6, 2]),
  color: "Navy",
  limit: 60,
  limit_min: 20,
  bon_prix: 10,
  info: "cadeau secret",
  mots: ["tech fleece | techfleece", "gris"],
});

const brandTitle = (id: number): string | undefined => (id === 53 ? "Nike" : undefined);

const packed = async (value: unknown): Promise<string> =>
  await packText(typeof value === "string" ? value : JSON.stringify(value));

test("a link carries the criteria, and nothing of how the filter is named, noted or buys", async () => {
  const payload = await packFilter(filtre);
  expect(payload).toMatch(/^[\w-]+$/u);
  const linked = await unpackFilter(payload, brandTitle);
  expect(linked?.leftOut).toEqual([]);
  const { types, brands, sizes, status, color, limit, limit_min, bon_prix, mots, exclure } = filtre;
  const { vendeur, ignorer_republications } = filtre;
  const ids = { types: { ids: types.ids }, brands: { ids: brands.ids } };
  expect(bodyOf(linked?.draft ?? emptyDraft)).toEqual({
    ...bodyOf(emptyDraft),
    ...ids,
    sizes: { ids: sizes.ids },
    status: { ids: status.ids },
    tag: "Nike Manteaux et vestes",
    color,
    limit,
    limit_min,
    bon_prix,
    mots,
    exclure,
    vendeur,
    ignorer_republications,
    private: true,
  });
});

test("no criterion that the server knows is missing in a link", async () => {
  const linked = await unpackFilter(await packFilter(filtre), brandTitle);
  const sent = criteriaOf(draftOf(filtre));
  expect(Object.keys(sent).toSorted()).toEqual(Object.keys(filtreApercuInput.shape).toSorted());
  // A criterion left at its default would pass without being in the link.
  const json = (value: object): string => JSON.stringify(Object.entries(value));
  const defaults = json(criteriaOf(emptyDraft));
  const unset = Object.entries(sent).filter((entry) => defaults.includes(JSON.stringify(entry)));
  expect(unset).toEqual([]);
  expect(criteriaOf(linked?.draft ?? emptyDraft)).toEqual(sent);
});

test("unknown values are left out and reported", async () => {
  const payload = await packed({
    version: 1,
    limit: 40,
    types: { ids: [221, 987_654] },
    brands: { ids: [53, 54] },
    color: "Noir",
    autobuy: true,
    paiement: 11,
  });
  const linked = await unpackFilter(payload, brandTitle);
  expect(linked?.draft).toEqual({
    ...emptyDraft,
    tag: "Nike T-shirts",
    typeIds: [221],
    brandIds: [53],
    limitText: "40",
    isPrivate: true,
  });
  expect(linked?.leftOut).toEqual([
    "couleur que Synapse ne connaît pas : Noir",
    "types que Synapse ne connaît pas : n° 987654",
    "marques que Synapse ne connaît pas : n° 54",
  ]);
});

test.each([
  ["another version", { version: 2, limit: 40 }],
  ["no limit", { version: 1 }],
  ["a text for ids", { version: 1, limit: 40, types: { ids: ["221"] } }],
  ["no JSON", "{"],
  ["more than a filter can be", `{"version":1,"limit":40,"color":"${" ".repeat(2_000_000)}"}`],
])("a payload of %s is no filter", async (_what, value) => {
  expect(await unpackFilter(await packed(value), brandTitle)).toBeNull();
});

test("whatever stands in an address, reading it never fails", async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string(), fc.base64String()), async (payload) => {
      expect(await unpackFilter(payload, brandTitle)).toBeNull();
    }),
  );
});

test("an unknown country is left out and reported", async () => {
  const linked = await unpackFilter(
    await packed({ version: 1, limit: 5, vendeur: { pays: ["FR", "ZZ"] } }),
    brandTitle,
  );
  expect(linked?.draft.sellerCountries).toEqual(["FR"]);
  expect(linked?.leftOut).toEqual(["pays que Synapse ne connaît pas : ZZ"]);
});
